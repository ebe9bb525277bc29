import { RateLimitError } from 'e2b';
import { expect, test } from 'vitest';
import { eventually, failure, useSandbox } from './support.ts';

const at = useSandbox();

test('CommandHandle.wait + RateLimitError: a caller that takes nothing for a minute loses the stream, not the command', {
  timeout: 200_000,
}, async () => {
  const open = Promise.withResolvers<void>();
  const handle = await at.sandbox.commands.run('head -c 100000000 /dev/zero; touch /tmp/went-on', {
    background: true,
    timeoutMs: 0,
    onStdout: () => open.promise,
  });
  const failed = failure(handle.wait());
  // The command stands still until the runtime gives the caller up, and only then gets to its end.
  await eventually(
    () => at.sandbox.files.exists('/tmp/went-on'),
    (there) => there,
  );
  open.resolve();
  expect(await failed).toBeInstanceOf(RateLimitError);
});
