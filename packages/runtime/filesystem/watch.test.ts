import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Runtime } from '../server/runtime.ts';
import { OpenStream, type StreamMessage, startTestRuntime, unary } from '../testing/runtime.ts';

let runtime: Runtime & { port: number };
beforeAll(async () => {
  runtime = await startTestRuntime();
});
afterAll(() => runtime.close());

function events(messages: readonly StreamMessage[]): string[] {
  return messages.flatMap(({ message }) => {
    const event = message['filesystem'] as { name: string; type: string } | undefined;
    return event === undefined ? [] : [`${event.type.replace('EVENT_TYPE_', '')} ${event.name}`];
  });
}

async function watch(path: string, options: object = {}): Promise<OpenStream> {
  const opened = new OpenStream(runtime.port, '/filesystem.Filesystem/WatchDir', { path, ...options });
  await opened.until((messages) => messages.length > 0);
  return opened;
}

it('tells what happens in a tree, new folders included, without doubles', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'));
  const opened = await watch(folder, { recursive: true });
  mkdirSync(join(folder, 'a/b/c'), { recursive: true });
  writeFileSync(join(folder, 'a/b/c/file'), 'x');
  await opened.until((messages) => events(messages).includes('CREATE a/b/c/file'));
  renameSync(join(folder, 'a'), join(folder, 'z'));
  await opened.until((messages) => events(messages).includes('CREATE z'));
  // Watched again under its new name; until then a change below could be missed.
  let n = 0;
  while (!events(opened.messages).some((event) => event.startsWith('CREATE z/b/c/n'))) {
    writeFileSync(join(folder, `z/b/c/n${n}`), '');
    n += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const created = events(opened.messages).filter((event) => event.startsWith('CREATE'));
  expect(new Set(created).size).toBe(created.length);
  expect(created.slice(0, 5)).toEqual(['CREATE a', 'CREATE a/b', 'CREATE a/b/c', 'CREATE a/b/c/file', 'CREATE z']);
  expect(events(opened.messages)).toContain('RENAME a');
  opened.close();
  rmSync(folder, { recursive: true });
});

it('gives two watchers of one folder the same events, and the other its own when one goes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'));
  const [first, second] = await Promise.all([watch(folder), watch(folder)]);
  writeFileSync(join(folder, 'one'), '');
  await Promise.all([first, second].map((each) => each.until((messages) => events(messages).includes('CREATE one'))));
  first.close();
  await first.end();
  writeFileSync(join(folder, 'two'), '');
  await second.until((messages) => events(messages).includes('CREATE two'));
  second.close();
  rmSync(folder, { recursive: true });
});

it('keeps events of polled watchers until they are fetched', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'));
  const { message } = await unary(runtime.port, '/filesystem.Filesystem/CreateWatcher', {
    path: folder,
    includeEntry: true,
  });
  expect(message['watcherId']).toMatch(/^w[0-9A-Za-z]{20}$/);
  writeFileSync(join(folder, 'one'), 'abc');
  let seen: { name: string; type: string; entry?: { path: string } }[] = [];
  while (seen.length === 0) {
    const fetched = await unary(runtime.port, '/filesystem.Filesystem/GetWatcherEvents', message);
    seen = (fetched.message['events'] ?? []) as typeof seen;
  }
  expect(seen[0]).toMatchObject({ name: 'one', type: 'EVENT_TYPE_CREATE', entry: { path: join(folder, 'one') } });
  expect((await unary(runtime.port, '/filesystem.Filesystem/RemoveWatcher', message)).status).toBe(200);
  expect((await unary(runtime.port, '/filesystem.Filesystem/GetWatcherEvents', message)).status).toBe(404);
  rmSync(folder, { recursive: true });
});
