import { createHash, randomBytes } from 'node:crypto';
import {
  AuthenticationError,
  FileNotFoundError,
  FileType,
  InvalidArgumentError,
  NotEnoughSpaceError,
  SandboxError,
} from 'e2b';
import { beforeAll, expect, test } from 'vitest';
import { failure, useSandbox } from './support.ts';

const at = useSandbox();
const files = () => at.sandbox.files;
const shell = async (command: string) => (await at.world.run(command)).text;

beforeAll(() => shell('mkdir -p /home/user/c && chown user:user /home/user/c'));

test('files.write + files.read: text comes back as it was', async () => {
  const text = 'first line\nzwölf € 日本 🚀\n\ttabs and trailing spaces  \n';
  await files().write('c/text.txt', text);
  expect(await files().read('c/text.txt')).toBe(text);
});

test('files.write: tells name, type and path', async () => {
  expect(await files().write('/home/user/c/info.txt', 'x')).toMatchObject({
    name: 'info.txt',
    type: FileType.FILE,
    path: '/home/user/c/info.txt',
  });
});

test('files.write: a relative path is joined to the home', async () => {
  expect((await files().write('c/relative.txt', 'x')).path).toBe('/home/user/c/relative.txt');
});

test('files.write: ~ is the home', async () => {
  await files().write('~/c/tilde.txt', 'x');
  expect(await shell('cat /home/user/c/tilde.txt')).toBe('x');
});

test('files.write: overwrites, and shortens', async () => {
  await files().write('c/over.txt', 'a long first content');
  await files().write('c/over.txt', 'short');
  expect(await files().read('c/over.txt')).toBe('short');
});

test('files.write: keeps mode and inode of a file that exists', async () => {
  const before = await shell(
    'echo x > /home/user/c/kept; chmod 750 /home/user/c/kept; stat -c "%i %a" /home/user/c/kept',
  );
  await files().write('c/kept', 'new');
  expect(await shell('stat -c "%i %a" /home/user/c/kept')).toBe(before);
});

test('files.write: makes the folders on the way, owned by the user', async () => {
  await files().write('c/new/deep/file.txt', 'x');
  expect(await shell('stat -c "%U:%G %a" /home/user/c/new /home/user/c/new/deep /home/user/c/new/deep/file.txt')).toBe(
    'user:user 755\nuser:user 755\nuser:user 644',
  );
});

test('files.write: as another user the file belongs to that one', async () => {
  await files().write('/tmp/of-other', 'x', { user: 'other' });
  expect(await shell('stat -c "%U:%G" /tmp/of-other')).toBe('other:other');
});

test('files.write: bytes arrive as bytes', async () => {
  const data = randomBytes(70_000);
  await files().write('c/bytes.bin', new Uint8Array(data).buffer);
  expect(await shell('sha256sum < /home/user/c/bytes.bin')).toContain(createHash('sha256').update(data).digest('hex'));
});

test('files.write: a Blob is taken', async () => {
  await files().write('c/blob.txt', new Blob(['from ', 'a blob']));
  expect(await files().read('c/blob.txt')).toBe('from a blob');
});

test('files.write: a ReadableStream is streamed', async () => {
  const parts = ['one ', 'two ', 'three'];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(part));
    },
  });
  await files().write('c/stream.txt', stream);
  expect(await files().read('c/stream.txt')).toBe('one two three');
});

test('files.write: gzip on the way is undone on arrival', async () => {
  const text = 'squeeze me '.repeat(5000);
  await files().write('c/gzip.txt', text, { gzip: true });
  expect(await shell('wc -c < /home/user/c/gzip.txt')).toBe(String(text.length));
  expect(await files().read('c/gzip.txt')).toBe(text);
});

test('files.write: as octet stream', async () => {
  await files().write('c/octets.txt', 'raw body', { useOctetStream: true });
  expect(await files().read('c/octets.txt')).toBe('raw body');
});

test('files.write: an empty text makes an empty file', async () => {
  await files().write('c/empty.txt', '');
  expect(await shell('stat -c %s /home/user/c/empty.txt')).toBe('0');
});

test('files.write: names with spaces, quotes and other scripts', async () => {
  for (const name of ['with space', `quo'te"s`, 'ünï-日本', '100%', 'a+b&c=d?#e']) {
    await files().write(`c/${name}`, name);
    expect(await files().read(`c/${name}`)).toBe(name);
  }
});

test('files.write: follows a link to its target', async () => {
  await shell('cd /home/user/c && echo old > target && ln -s target pointer');
  await files().write('c/pointer', 'new');
  expect(await shell('cat /home/user/c/target; readlink /home/user/c/pointer')).toBe('newtarget');
});

test('files.write + files.getInfo: metadata is kept with the file', async () => {
  const info = await files().write('c/meta.txt', 'x', { metadata: { Author: 'Ann', purpose: 'test run' } });
  expect(info.metadata).toEqual({ author: 'Ann', purpose: 'test run' });
  expect((await files().getInfo('c/meta.txt')).metadata).toEqual({ author: 'Ann', purpose: 'test run' });
});

test('files.write: a later write without metadata clears it', async () => {
  await files().write('c/meta2.txt', 'x', { metadata: { a: '1' } });
  await files().write('c/meta2.txt', 'y');
  expect((await files().getInfo('c/meta2.txt')).metadata).toBeUndefined();
});

test('files.write + InvalidArgumentError: metadata that is not ASCII is refused', async () => {
  const error = await failure(files().write('c/meta3.txt', 'x', { metadata: { a: 'ü' } }));
  expect(error).toBeInstanceOf(InvalidArgumentError);
});

test('files.write + InvalidArgumentError: metadata beyond 4 KiB is refused', async () => {
  const metadata = { a: 'x'.repeat(2500), b: 'y'.repeat(2500) };
  expect(await failure(files().write('c/meta4.txt', 'x', { metadata }))).toBeInstanceOf(InvalidArgumentError);
});

test('files.write + InvalidArgumentError: a folder is no file', async () => {
  expect(await failure(files().write('/home/user/c', 'x'))).toBeInstanceOf(InvalidArgumentError);
});

test('files.write + SandboxError: nothing can be written below a file', async () => {
  await files().write('c/plain', 'x');
  expect(await failure(files().write('c/plain/below', 'x'))).toBeInstanceOf(SandboxError);
});

test('files.write + AuthenticationError: an unknown user is refused', async () => {
  expect(await failure(files().write('c/x', 'x', { user: 'ghost' }))).toBeInstanceOf(AuthenticationError);
});

test('files.write + NotEnoughSpaceError: a full disk is named as such', async () => {
  await shell('mkdir -p /home/user/small && mount -t tmpfs -o size=128k,mode=777 tmpfs /home/user/small');
  const error = await failure(files().write('small/big', new Uint8Array(1 << 20).buffer));
  expect(error).toBeInstanceOf(NotEnoughSpaceError);
  await shell('umount /home/user/small');
});

test('files.write: several files at once keep their order', async () => {
  const written = await files().write([
    { path: 'c/many/1.txt', data: 'one' },
    { path: '/home/user/c/many/2.txt', data: new Blob(['two']) },
    { path: 'c/many/sub/3.txt', data: new TextEncoder().encode('three').buffer as ArrayBuffer },
  ]);
  expect(written.map((one) => one.path)).toEqual([
    '/home/user/c/many/1.txt',
    '/home/user/c/many/2.txt',
    '/home/user/c/many/sub/3.txt',
  ]);
  expect(await shell('cd /home/user/c/many && cat 1.txt 2.txt sub/3.txt')).toBe('onetwothree');
});

test('files.writeFiles: writes them all', async () => {
  const names = Array.from({ length: 25 }, (_, index) => `c/batch/${index}.txt`);
  const written = await files().writeFiles(names.map((path) => ({ path, data: path })));
  expect(written.length).toBe(25);
  expect(await shell('cat /home/user/c/batch/17.txt; ls /home/user/c/batch | wc -l')).toBe('c/batch/17.txt25');
});

test('files.writeFiles: no files is no error', async () => {
  expect(await files().writeFiles([])).toEqual([]);
});

test('files.writeFiles: metadata is set on each', async () => {
  await files().writeFiles(
    [
      { path: 'c/m1', data: '1' },
      { path: 'c/m2', data: '2' },
    ],
    { metadata: { set: 'both' } },
  );
  const infos = await Promise.all(['c/m1', 'c/m2'].map((path) => files().getInfo(path)));
  expect(infos.map((info) => info.metadata)).toEqual([{ set: 'both' }, { set: 'both' }]);
});

test('files.writeFiles + InvalidArgumentError: the same path twice is refused', async () => {
  const twice = [
    { path: 'c/twice', data: '1' },
    { path: 'c/twice', data: '2' },
  ];
  expect(await failure(files().writeFiles(twice))).toBeInstanceOf(InvalidArgumentError);
});

test('files.read: as bytes', async () => {
  await shell(`printf '\\000\\377\\012' > /home/user/c/odd.bin`);
  expect([...(await files().read('c/odd.bin', { format: 'bytes' }))]).toEqual([0, 255, 10]);
});

test('files.read: as blob', async () => {
  await files().write('c/as-blob', 'blob content');
  const blob = await files().read('c/as-blob', { format: 'blob' });
  expect(await blob.text()).toBe('blob content');
});

test('files.read: as stream', async () => {
  const data = randomBytes(300_000);
  await files().write('c/as-stream', new Uint8Array(data).buffer);
  const hash = createHash('sha256');
  for await (const chunk of await files().read('c/as-stream', { format: 'stream' })) hash.update(chunk);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(data).digest('hex'));
});

test('files.read: with gzip on the way', async () => {
  const text = 'again and again '.repeat(10_000);
  await files().write('c/zipped', text);
  expect(await files().read('c/zipped', { gzip: true })).toBe(text);
});

test('files.read: an empty file is an empty text, in every format', async () => {
  await shell(': > /home/user/c/nothing');
  expect(await files().read('c/nothing')).toBe('');
  expect((await files().read('c/nothing', { format: 'bytes' })).length).toBe(0);
  expect((await files().read('c/nothing', { format: 'blob' })).size).toBe(0);
});

test('files.read: 30 MiB come back unchanged', async () => {
  await shell('head -c 31457280 /dev/urandom > /home/user/c/large');
  const data = await files().read('c/large', { format: 'bytes' });
  const hash = createHash('sha256').update(data).digest('hex');
  expect(await shell('sha256sum < /home/user/c/large')).toContain(hash);
});

test('files.read: relative to the home of the user who is named', async () => {
  await shell('echo -n theirs > /home/other/note');
  expect(await files().read('note', { user: 'other' })).toBe('theirs');
});

test('files.read: through a link', async () => {
  await shell('cd /home/user/c && echo -n behind > real && ln -sf real alias');
  expect(await files().read('c/alias')).toBe('behind');
});

test('files.read + FileNotFoundError: a missing file', async () => {
  const error = await failure(files().read('c/missing'));
  expect(error).toBeInstanceOf(FileNotFoundError);
  expect(String(error)).toContain('does not exist');
});

test('files.read + FileNotFoundError: a link to nowhere', async () => {
  await shell('ln -sf nowhere /home/user/c/dangling');
  expect(await failure(files().read('c/dangling'))).toBeInstanceOf(FileNotFoundError);
});

test('files.read + InvalidArgumentError: a folder', async () => {
  expect(await failure(files().read('/home/user/c'))).toBeInstanceOf(InvalidArgumentError);
});

test('files.read + AuthenticationError: an unknown user', async () => {
  expect(await failure(files().read('c/text.txt', { user: 'ghost' }))).toBeInstanceOf(AuthenticationError);
});

test('files.read + SandboxError: a path below a file', async () => {
  await files().write('c/leaf', 'x');
  expect(await failure(files().read('c/leaf/below'))).toBeInstanceOf(SandboxError);
});
