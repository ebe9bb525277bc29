import {
  AuthenticationError,
  FileNotFoundError,
  type FilesystemEvent,
  FilesystemEventType,
  FileType,
  InvalidArgumentError,
  TimeoutError,
} from 'e2b';
import { expect, test } from 'vitest';
import { failure, Inbox, useSandbox } from './support.ts';

const at = useSandbox();
const files = () => at.sandbox.files;
const shell = (command: string) => at.world.run(command);
let serial = 0;

type WatchOptions = NonNullable<Parameters<ReturnType<typeof files>['watchDir']>[2]>;

/** A fresh folder with a watch on it. */
async function watched(options: WatchOptions = {}, prepare = '') {
  const folder = `/home/user/w${serial++}`;
  await shell(`mkdir ${folder} && cd ${folder} && chown user:user . && ${prepare || 'true'}`);
  const events = new Inbox<FilesystemEvent>();
  const handle = await files().watchDir(folder, events.push, options);
  return {
    folder,
    handle,
    events,
    do: (command: string) => shell(`cd ${folder} && ${command}`),
    seen: (type: FilesystemEventType, name: string) =>
      events.until((items) => items.some((event) => event.type === type && event.name === name)),
  };
}

test('files.watchDir: tells of a new file', async () => {
  const watch = await watched();
  await watch.do('touch new.txt');
  await watch.seen(FilesystemEventType.CREATE, 'new.txt');
  await watch.handle.stop();
});

test('files.watchDir: tells of a write', async () => {
  const watch = await watched({}, 'touch f');
  await watch.do('echo x >> f');
  await watch.seen(FilesystemEventType.WRITE, 'f');
  await watch.handle.stop();
});

test('files.watchDir: tells of a removal', async () => {
  const watch = await watched({}, 'touch f');
  await watch.do('rm f');
  await watch.seen(FilesystemEventType.REMOVE, 'f');
  await watch.handle.stop();
});

test('files.watchDir: a rename is a rename of the old and a creation of the new name', async () => {
  const watch = await watched({}, 'touch old');
  await watch.do('mv old new');
  await watch.seen(FilesystemEventType.CREATE, 'new');
  expect(watch.events.items.map(({ type, name }) => `${type} ${name}`)).toEqual(['rename old', 'create new']);
  await watch.handle.stop();
});

test('files.watchDir: tells of changed modes', async () => {
  const watch = await watched({}, 'touch f');
  await watch.do('chmod 600 f');
  await watch.seen(FilesystemEventType.CHMOD, 'f');
  await watch.handle.stop();
});

test('files.watchDir: tells of what the SDK itself does', async () => {
  const watch = await watched();
  await files().write(`${watch.folder}/by-sdk`, 'x');
  await watch.seen(FilesystemEventType.WRITE, 'by-sdk');
  await files().makeDir(`${watch.folder}/dir-by-sdk`);
  await watch.seen(FilesystemEventType.CREATE, 'dir-by-sdk');
  await files().remove(`${watch.folder}/by-sdk`);
  await watch.seen(FilesystemEventType.REMOVE, 'by-sdk');
  await watch.handle.stop();
});

test('files.watchDir: events come in the order of the changes', async () => {
  const watch = await watched();
  await watch.do('for i in 1 2 3 4 5 6 7 8 9; do mkdir d$i; done; mkdir last');
  await watch.seen(FilesystemEventType.CREATE, 'last');
  const created = watch.events.items.filter((event) => event.type === FilesystemEventType.CREATE);
  expect(created.map((event) => event.name)).toEqual(['d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8', 'd9', 'last']);
  await watch.handle.stop();
});

test('files.watchDir: folders below are silent unless asked for', async () => {
  const watch = await watched({}, 'mkdir sub');
  await watch.do('touch sub/inner; touch mark');
  await watch.seen(FilesystemEventType.CREATE, 'mark');
  expect(watch.events.items.some((event) => event.name.includes('inner'))).toBe(false);
  await watch.handle.stop();
});

test('files.watchDir: recursive tells of folders below, by relative name', async () => {
  const watch = await watched({ recursive: true }, 'mkdir -p a/b');
  await watch.do('touch a/b/deep');
  await watch.seen(FilesystemEventType.CREATE, 'a/b/deep');
  await watch.handle.stop();
});

test('files.watchDir: recursive includes folders that are made later', async () => {
  const watch = await watched({ recursive: true });
  await watch.do('mkdir later');
  await watch.seen(FilesystemEventType.CREATE, 'later');
  // The watch of a new folder is set when its creation is handled: a file made in it until then may go unseen.
  const poke = setInterval(() => void watch.do('touch later/f; rm -f later/f'), 50);
  await watch.seen(FilesystemEventType.CREATE, 'later/f').finally(() => clearInterval(poke));
  await watch.handle.stop();
});

test('files.watchDir: includeEntry brings the entry', async () => {
  const watch = await watched({ includeEntry: true });
  await watch.do('mkdir made');
  const events = await watch.seen(FilesystemEventType.CREATE, 'made');
  expect(events[0]?.entry).toMatchObject({ name: 'made', type: FileType.DIR, path: `${watch.folder}/made` });
  await watch.handle.stop();
});

test('files.watchDir: without includeEntry there is none', async () => {
  const watch = await watched();
  await watch.do('touch f');
  expect((await watch.seen(FilesystemEventType.CREATE, 'f'))[0]?.entry).toBeUndefined();
  await watch.handle.stop();
});

test('files.watchDir: two watches of one folder both see everything', async () => {
  const watch = await watched();
  const second = new Inbox<FilesystemEvent>();
  const other = await files().watchDir(watch.folder, second.push);
  await watch.do('mkdir both');
  await watch.seen(FilesystemEventType.CREATE, 'both');
  await second.until((items) => items.some((event) => event.name === 'both'));
  await Promise.all([watch.handle.stop(), other.stop()]);
});

test('WatchHandle.stop: no event comes after it', async () => {
  const watch = await watched();
  await watch.handle.stop();
  const control = new Inbox<FilesystemEvent>();
  const second = await files().watchDir(watch.folder, control.push);
  await watch.do('touch after-stop');
  await control.until((items) => items.length > 0);
  expect(watch.events.items).toEqual([]);
  await second.stop();
});

test('WatchHandle.stop + files.watchDir: onExit is called once', async () => {
  const exits = new Inbox<Error | undefined>();
  const watch = await watched({ onExit: exits.push });
  await watch.handle.stop();
  await exits.until((items) => items.length > 0);
  expect(exits.items.length).toBe(1);
});

test('files.watchDir + TimeoutError: its timeout ends the watch and onExit says why', async () => {
  const exits = new Inbox<Error | undefined>();
  await watched({ timeoutMs: 400, onExit: exits.push });
  await exits.until((items) => items.length === 1);
  expect(exits.items[0]).toBeInstanceOf(TimeoutError);
});

test('files.watchDir + FileNotFoundError: a missing folder', async () => {
  expect(await failure(files().watchDir('/home/user/none', () => undefined))).toBeInstanceOf(FileNotFoundError);
});

test('files.watchDir + InvalidArgumentError: a file is no folder', async () => {
  await files().write('plain', 'x');
  expect(await failure(files().watchDir('plain', () => undefined))).toBeInstanceOf(InvalidArgumentError);
});

test('files.watchDir + AuthenticationError: an unknown user', async () => {
  expect(await failure(files().watchDir('/tmp', () => undefined, { user: 'ghost' }))).toBeInstanceOf(
    AuthenticationError,
  );
});

test('files.watchDir: network mounts may be allowed explicitly', async () => {
  const watch = await watched({ allowNetworkMounts: true });
  await watch.do('touch f');
  await watch.seen(FilesystemEventType.CREATE, 'f');
  await watch.handle.stop();
});
