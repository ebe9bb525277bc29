import { badRequest, invalid, methodNotAllowed } from '../../http/api-error.ts';
import type { ApiRequest } from '../../http/exchange.ts';
import { isTrue } from '../../http/request-info.ts';
import type { SubresourceHandler } from '../../http/resource-handler.ts';
import type { FieldError } from '../../schema/structural.ts';
import { forbiddenField, invalidValue } from '../field-errors.ts';
import { specAt, textAt } from '../fields.ts';
import type { LogOptions, NodePorts } from './node-port.ts';
import { nodeOf, podContainer } from './pod-target.ts';

/** `GET pods/x/log`: plain text, as it comes. */
export function logHandler(nodes: NodePorts | undefined): SubresourceHandler {
  return async (engine, target, request, verb) => {
    if (verb !== 'get' && verb !== 'watch') throw methodNotAllowed(verb, target.resource);
    const options = logOptions(request, target.name, engine.now());
    const { pod, container } = podContainer(engine, target, options.container);
    // A pod that runs nowhere yet has said nothing yet.
    if (textAt(specAt(pod), 'nodeName') === '')
      return { status: 204, headers: { 'content-type': 'text/plain' }, body: '' };
    const node = nodeOf(pod, nodes);
    return {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: node.logs(pod, { ...options, container, signal: request.signal }),
    };
  };
}

function logOptions({ query, signal }: ApiRequest, pod: string, now: Date): LogOptions {
  const errors: FieldError[] = [];
  const count = (name: string, least: number): number | undefined => {
    const text = query.get(name);
    if (text === null || text === '') return undefined;
    if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    if (Number(text) < least)
      errors.push(invalidValue(name, Number(text), `must be greater than ${least === 0 ? 'or equal to 0' : '0'}`));
    return Number(text);
  };
  const [tailLines, limitBytes, seconds] = [count('tailLines', 0), count('limitBytes', 1), count('sinceSeconds', 1)];
  const time = query.get('sinceTime') ?? '';
  if (seconds !== undefined && time !== '')
    errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, errors);
  if (time !== '' && Number.isNaN(Date.parse(time)))
    throw badRequest(`sinceTime: ${JSON.stringify(time)} is not a time`);
  const since = seconds === undefined ? undefined : new Date(now.getTime() - seconds * 1000);
  const flag = (name: string) => isTrue(query.get(name) ?? 'false');
  return {
    container: query.get('container') ?? '',
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    tailLines,
    limitBytes,
    since: time === '' ? since : new Date(time),
    signal,
  };
}
