import { AuthenticationError, Sandbox } from 'e2b';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type World } from '../../runtime/world/world.ts';
import { failure, init } from './support.ts';

const TOKEN = '0tQG31xiMp0IOQfaz9dcwi72L1CPo8e0';
let world: World;
let owner: Sandbox;
let stranger: Sandbox;

/** A secured sandbox as the control plane hands it out: the token is bound by /init, the SDK holds the same one. */
beforeAll(async () => {
  world = await openWorld({ insecure: false });
  await init(world, {
    defaultUser: 'user',
    accessToken: TOKEN,
    envVars: { FROM_CREATE: 'bound late', SHARED: 'sandbox' },
  });
  const options = { sandboxId: 'secured', envdVersion: '0.6.13', debug: true, sandboxUrl: world.url };
  owner = new Sandbox({ ...options, envdAccessToken: TOKEN });
  stranger = new Sandbox(options);
}, 60_000);
afterAll(() => world?.close());

test('commands.run: the owner of the token may run commands', async () => {
  expect((await owner.commands.run('echo mine')).stdout).toBe('mine\n');
});

test('commands.run: has the environment that the sandbox was created with', async () => {
  const result = await owner.commands.run('echo "$FROM_CREATE/$SHARED"', { envs: { SHARED: 'request' } });
  expect(result.stdout).toBe('bound late/request\n');
});

test('commands.run + AuthenticationError: without token nothing runs', async () => {
  expect(await failure(stranger.commands.run('touch /tmp/intruder'))).toBeInstanceOf(AuthenticationError);
  expect((await owner.commands.run('ls /tmp')).stdout).not.toContain('intruder');
});

test('commands.list + AuthenticationError: without token nothing is listed', async () => {
  expect(await failure(stranger.commands.list())).toBeInstanceOf(AuthenticationError);
});

test('commands.kill + AuthenticationError: without token nothing is killed', async () => {
  const handle = await owner.commands.run('sleep 30', { background: true });
  expect(await failure(stranger.commands.kill(handle.pid))).toBeInstanceOf(AuthenticationError);
  expect(await handle.kill()).toBe(true);
});

test('pty.create + AuthenticationError: without token no terminal opens', async () => {
  const opening = stranger.pty.create({ cols: 80, rows: 24, onData: () => undefined });
  expect(await failure(opening)).toBeInstanceOf(AuthenticationError);
});

test('files.write + files.read + AuthenticationError: only the owner writes and reads', async () => {
  await owner.files.write('secret', 'inside');
  expect(await owner.files.read('secret')).toBe('inside');
  expect(await failure(stranger.files.read('secret'))).toBeInstanceOf(AuthenticationError);
  expect(await failure(stranger.files.write('secret', 'changed'))).toBeInstanceOf(AuthenticationError);
  expect(await owner.files.read('secret')).toBe('inside');
});

test('files.watchDir + AuthenticationError: without token nothing is watched', async () => {
  expect(await failure(stranger.files.watchDir('/home/user', () => undefined))).toBeInstanceOf(AuthenticationError);
});

test('files.list + AuthenticationError: a wrong token is no token', async () => {
  const thief = new Sandbox({
    sandboxId: 'secured',
    envdVersion: '0.6.13',
    debug: true,
    sandboxUrl: world.url,
    envdAccessToken: `${TOKEN.slice(0, -1)}1`,
  });
  expect(await failure(thief.files.list('/'))).toBeInstanceOf(AuthenticationError);
});

test('sandbox.isRunning: health needs no token', async () => {
  expect(await stranger.isRunning()).toBe(true);
});

test('sandbox.downloadUrl: a signed address serves the file to anybody', async () => {
  await owner.files.write('shared.txt', 'for you');
  const answer = await fetch(await owner.downloadUrl('shared.txt'));
  expect([answer.status, await answer.text()]).toEqual([200, 'for you']);
});

test('sandbox.downloadUrl: for another user and with an end of validity', async () => {
  await owner.files.write('theirs.txt', 'of other', { user: 'other' });
  const url = await owner.downloadUrl('theirs.txt', { user: 'other', useSignatureExpiration: 60 });
  expect(await (await fetch(url)).text()).toBe('of other');
});

test('sandbox.downloadUrl: a changed path is refused', async () => {
  const url = (await owner.downloadUrl('shared.txt')).replace('shared.txt', 'secret');
  expect((await fetch(url)).status).toBe(401);
});

test('sandbox.downloadUrl: an address whose time is over is refused', async () => {
  const url = await owner.downloadUrl('shared.txt', { useSignatureExpiration: -10 });
  expect((await fetch(url)).status).toBe(401);
});

test('sandbox.uploadUrl: a signed address takes a file from anybody', async () => {
  const form = new FormData();
  form.append('file', new Blob(['sent in']), 'up.txt');
  const answer = await fetch(await owner.uploadUrl('up.txt'), { method: 'POST', body: form });
  expect(answer.status).toBe(200);
  expect(await owner.files.read('up.txt')).toBe('sent in');
});

test('sandbox.uploadUrl: is not good for reading', async () => {
  expect((await fetch(await owner.uploadUrl('shared.txt'))).status).toBe(401);
});

test('sandbox.downloadUrl: an address made without the token has no signature and is refused', async () => {
  const answer = await fetch(await stranger.downloadUrl('shared.txt'));
  expect(answer.status).toBe(401);
});
