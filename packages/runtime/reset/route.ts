/** `POST /reset`, on the control listener only: 200 and clean, or 409 and the reasons. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RuntimeContext } from '../server/context.ts';
import { replyJson } from '../server/reply.ts';
import { type ResetResult, resetSandbox } from './procedure.ts';

export async function handleReset(
  context: RuntimeContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  if (context.availability === 'condemned') {
    replyJson(response, 409, refused('an earlier reset was refused; delete the sandbox'));
    return;
  }
  if (context.availability === 'resetting') {
    replyJson(response, 409, refused('a reset is under way'));
    return;
  }
  context.availability = 'resetting';
  let result: ResetResult;
  try {
    context.dropConnections();
    result = await resetSandbox(context);
  } catch (error) {
    context.log.error('reset failed', { error });
    result = refused(error instanceof Error ? error.message : String(error));
  }
  context.availability = result.clean ? 'open' : 'condemned';
  context.log.info('reset', { clean: result.clean, reasons: result.reasons });
  replyJson(response, result.clean ? 200 : 409, result);
}

function refused(reason: string): ResetResult {
  return { clean: false, reasons: [reason], removed: { entries: 0, objects: 0 } };
}
