import { AuthenticationError, FileNotFoundError, FileType, InvalidArgumentError, SandboxError } from 'e2b';
import { beforeAll, expect, test } from 'vitest';
import { failure, useSandbox } from './support.ts';

const at = useSandbox();
const files = () => at.sandbox.files;
const shell = async (command: string) => (await at.world.run(command)).text;
const names = async (path: string, depth?: number) =>
  (await files().list(path, depth === undefined ? {} : { depth })).map((entry) => entry.path);

beforeAll(() =>
  shell(`mkdir -p /home/user/t/dir/sub/deep && cd /home/user/t && printf hello > file.txt && printf a > dir/a &&
    printf b > dir/sub/b && printf c > dir/sub/deep/c && ln -s file.txt link && ln -s dir dirlink && ln -s gone broken &&
    ln -s loop loop && mkfifo pipe && printf x > run.sh && chmod 755 run.sh && chown -hR user:user /home/user/t &&
    touch -d 2024-02-03T04:05:06Z file.txt`),
);

test('files.list: entries of one folder, in byte order', async () => {
  await shell('mkdir -p /home/user/t/order && cd /home/user/t/order && touch b A a .h 10 9');
  expect((await files().list('t/order')).map((entry) => entry.name)).toEqual(['.h', '10', '9', 'A', 'a', 'b']);
});

test('files.list: an empty folder is an empty list', async () => {
  await shell('mkdir -p /home/user/t/empty');
  expect(await files().list('t/empty')).toEqual([]);
});

test('files.list: depth 1 is the default', async () => {
  expect(await names('/home/user/t/dir')).toEqual(['/home/user/t/dir/a', '/home/user/t/dir/sub']);
  expect(await names('/home/user/t/dir', 1)).toEqual(await names('/home/user/t/dir'));
});

test('files.list: depth 2 and 3 go deeper', async () => {
  expect(await names('/home/user/t/dir', 2)).toEqual([
    '/home/user/t/dir/a',
    '/home/user/t/dir/sub',
    '/home/user/t/dir/sub/b',
    '/home/user/t/dir/sub/deep',
  ]);
  expect((await names('/home/user/t/dir', 3)).at(-1)).toBe('/home/user/t/dir/sub/deep/c');
});

test('files.list + InvalidArgumentError: depth 0 is refused by the SDK', async () => {
  expect(await failure(files().list('t', { depth: 0 }))).toBeInstanceOf(InvalidArgumentError);
});

test('files.list: fields of a file', async () => {
  const entry = (await files().list('t')).find((one) => one.name === 'file.txt');
  expect(entry).toMatchObject({
    type: FileType.FILE,
    path: '/home/user/t/file.txt',
    size: 5,
    mode: 0o644,
    permissions: '-rw-r--r--',
    owner: 'user',
    group: 'user',
  });
  expect(entry?.modifiedTime?.toISOString()).toBe('2024-02-03T04:05:06.000Z');
});

test('files.list: fields of a folder', async () => {
  const entry = (await files().list('t')).find((one) => one.name === 'dir');
  expect(entry).toMatchObject({ type: FileType.DIR, mode: 0o755, permissions: 'drwxr-xr-x' });
});

test('files.list: links tell their target and are not followed', async () => {
  const entries = await files().list('t', { depth: 2 });
  expect(entries.find((one) => one.name === 'link')?.symlinkTarget).toBe('/home/user/t/file.txt');
  expect(entries.some((one) => one.path.includes('/dirlink/'))).toBe(false);
});

test('files.list: a link to a folder is listed under its own path', async () => {
  expect(await names('/home/user/t/dirlink')).toEqual(['/home/user/t/dirlink/a', '/home/user/t/dirlink/sub']);
});

test('files.list: names with other scripts and spaces', async () => {
  await shell(`mkdir -p "/home/user/t/odd" && cd /home/user/t/odd && touch "a b" "日本" "qu'ote"`);
  expect((await files().list('t/odd')).map((one) => one.name).sort()).toEqual(['a b', "qu'ote", '日本'].sort());
});

test('files.list: a thousand entries', async () => {
  await shell('mkdir -p /home/user/t/many && cd /home/user/t/many && seq 1 1000 | xargs touch');
  expect((await files().list('t/many')).length).toBe(1000);
});

test('files.list + FileNotFoundError: a missing folder', async () => {
  expect(await failure(files().list('t/none'))).toBeInstanceOf(FileNotFoundError);
});

test('files.list + InvalidArgumentError: a file is no folder', async () => {
  expect(await failure(files().list('t/file.txt'))).toBeInstanceOf(InvalidArgumentError);
});

test('files.list + AuthenticationError: an unknown user', async () => {
  expect(await failure(files().list('t', { user: 'ghost' }))).toBeInstanceOf(AuthenticationError);
});

test('files.list + SandboxError: a link that points to itself', async () => {
  expect(await failure(files().list('t/loop'))).toBeInstanceOf(SandboxError);
});

test('files.getInfo: a file', async () => {
  expect(await files().getInfo('t/file.txt')).toMatchObject({
    name: 'file.txt',
    type: FileType.FILE,
    path: '/home/user/t/file.txt',
    size: 5,
    owner: 'user',
  });
});

test('files.getInfo: a folder, and the root', async () => {
  expect(await files().getInfo('t/dir')).toMatchObject({ name: 'dir', type: FileType.DIR });
  expect(await files().getInfo('/')).toMatchObject({ name: '/', type: FileType.DIR, path: '/' });
});

test('files.getInfo: an executable tells its mode', async () => {
  expect(await files().getInfo('t/run.sh')).toMatchObject({ mode: 0o755, permissions: '-rwxr-xr-x' });
});

test('files.getInfo: a link has the type of its target and its own permissions', async () => {
  expect(await files().getInfo('t/link')).toMatchObject({
    type: FileType.FILE,
    permissions: 'Lrwxrwxrwx',
    symlinkTarget: '/home/user/t/file.txt',
  });
  expect(await files().getInfo('t/dirlink')).toMatchObject({ type: FileType.DIR, symlinkTarget: '/home/user/t/dir' });
});

test('files.getInfo: a broken link has no type', async () => {
  const info = await files().getInfo('t/broken');
  expect(info.type).toBeUndefined();
  expect(info.symlinkTarget).toBe('/home/user/t/broken');
});

test('files.getInfo: a pipe has no type either', async () => {
  expect((await files().getInfo('t/pipe')).type).toBeUndefined();
});

test('files.getInfo: an owner without name is a number', async () => {
  await shell('touch /tmp/numbers && chown 4711:4712 /tmp/numbers');
  expect(await files().getInfo('/tmp/numbers')).toMatchObject({ owner: '4711', group: '4712' });
});

test('files.getInfo: metadata that was set inside the sandbox is shown', async () => {
  await files().write('t/marked', 'x', { metadata: { colour: 'red' } });
  expect((await files().getInfo('t/marked')).metadata).toEqual({ colour: 'red' });
});

test('files.getInfo + FileNotFoundError: a missing path', async () => {
  expect(await failure(files().getInfo('t/none'))).toBeInstanceOf(FileNotFoundError);
});

test('files.getInfo + InvalidArgumentError: the home of another by ~name', async () => {
  expect(await failure(files().getInfo('~other/x'))).toBeInstanceOf(InvalidArgumentError);
});

test('files.exists: true for files, folders and broken links, false for nothing', async () => {
  const paths = ['t/file.txt', 't/dir', 't/broken', 't/none', '/no/where/at/all'];
  expect(await Promise.all(paths.map((path) => files().exists(path)))).toEqual([true, true, true, false, false]);
});

test('files.exists: relative to the home of the user who is named', async () => {
  await shell('touch /home/other/only-there');
  expect(await files().exists('only-there', { user: 'other' })).toBe(true);
  expect(await files().exists('only-there')).toBe(false);
});

test('files.exists + AuthenticationError: an unknown user', async () => {
  expect(await failure(files().exists('t', { user: 'ghost' }))).toBeInstanceOf(AuthenticationError);
});

test('files.makeDir: makes a folder of the user', async () => {
  expect(await files().makeDir('t/made')).toBe(true);
  expect(await shell('stat -c "%F %U:%G %a" /home/user/t/made')).toBe('directory user:user 755');
});

test('files.makeDir: makes the folders on the way', async () => {
  expect(await files().makeDir('t/way/to/go')).toBe(true);
  expect(await shell('stat -c %U /home/user/t/way /home/user/t/way/to/go')).toBe('user\nuser');
});

test('files.makeDir: says false when it is there', async () => {
  expect(await files().makeDir('t/dir')).toBe(false);
});

test('files.makeDir: as another user', async () => {
  await files().makeDir('/tmp/made-by-other', { user: 'other' });
  expect(await shell('stat -c %U /tmp/made-by-other')).toBe('other');
});

test('files.makeDir + InvalidArgumentError: a file is in the way', async () => {
  expect(await failure(files().makeDir('t/file.txt'))).toBeInstanceOf(InvalidArgumentError);
});

test('files.makeDir + SandboxError: a file is on the way', async () => {
  expect(await failure(files().makeDir('t/file.txt/below'))).toBeInstanceOf(SandboxError);
});

test('files.rename: moves a file and tells where it is', async () => {
  await files().write('t/old-name', 'content');
  expect(await files().rename('t/old-name', 't/new-name')).toMatchObject({
    name: 'new-name',
    path: '/home/user/t/new-name',
    size: 7,
  });
  expect(await files().exists('t/old-name')).toBe(false);
});

test('files.rename: replaces a file that is there', async () => {
  await files().write('t/from', 'new');
  await files().write('t/onto', 'old');
  await files().rename('t/from', 't/onto');
  expect(await files().read('t/onto')).toBe('new');
});

test('files.rename: moves a folder with all in it', async () => {
  await files().write('t/house/room/chair', 'wood');
  await files().rename('t/house', 't/villa');
  expect(await files().read('t/villa/room/chair')).toBe('wood');
});

test('files.rename: makes the folders on the way', async () => {
  await files().write('t/nomad', 'x');
  await files().rename('t/nomad', 't/far/away/nomad');
  expect(await shell('stat -c %U /home/user/t/far/away')).toBe('user');
});

test('files.rename: a link is moved, not its target', async () => {
  await shell('ln -s file.txt /home/user/t/wander');
  await files().rename('t/wander', 't/wandered');
  expect(await shell('readlink /home/user/t/wandered; cat /home/user/t/file.txt')).toBe('file.txt\nhello');
});

test('files.rename + FileNotFoundError: nothing to move', async () => {
  expect(await failure(files().rename('t/none', 't/else'))).toBeInstanceOf(FileNotFoundError);
});

test('files.rename + SandboxError: onto a folder', async () => {
  await files().write('t/stone', 'x');
  expect(await failure(files().rename('t/stone', 't/dir'))).toBeInstanceOf(SandboxError);
});

test('files.remove: a file', async () => {
  await files().write('t/doomed', 'x');
  await files().remove('t/doomed');
  expect(await files().exists('t/doomed')).toBe(false);
});

test('files.remove: a folder with all in it', async () => {
  await files().write('t/doomed-dir/a/b', 'x');
  await files().remove('t/doomed-dir');
  expect(await shell('ls -d /home/user/t/doomed-dir 2>&1 | tail -c 10')).toContain('directory');
});

test('files.remove: a link, not its target', async () => {
  await shell('ln -s file.txt /home/user/t/brief');
  await files().remove('t/brief');
  expect(await files().exists('t/file.txt')).toBe(true);
});

test('files.remove: what is not there is no error', async () => {
  await files().remove('t/never-was');
});

test('files.remove + SandboxError: what the kernel refuses', async () => {
  expect(await failure(files().remove('/proc/version'))).toBeInstanceOf(SandboxError);
});

test('files.remove + AuthenticationError: an unknown user', async () => {
  expect(await failure(files().remove('t/x', { user: 'ghost' }))).toBeInstanceOf(AuthenticationError);
});
