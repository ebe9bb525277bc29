import { basic, open, type Stream, send, unary } from '../../runtime/wire.ts';
import { compareMessages, type Difference, toMessages } from './compare.ts';
import type { Player } from './player.ts';
import { toRequest } from './recording.ts';

const FOLDER = '/home/user/f/w';

/** Calls that one recording names in words. */
const CALLS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'POST /files (new file, 3 bytes)': (url) => upload(url, 'abc'),
  'POST /files (overwrite)': (url) => upload(url, 'defg'),
  MakeDir: (url) => unary(url, '/filesystem.Filesystem/MakeDir', { path: `${FOLDER}/md` }, basic('user')),
  Move: (url) =>
    unary(
      url,
      '/filesystem.Filesystem/Move',
      { source: `${FOLDER}/up.txt`, destination: `${FOLDER}/up2.txt` },
      basic('user'),
    ),
  'Remove file': (url) => unary(url, '/filesystem.Filesystem/Remove', { path: `${FOLDER}/up2.txt` }, basic('user')),
  'Remove dir': (url) => unary(url, '/filesystem.Filesystem/Remove', { path: `${FOLDER}/md` }, basic('user')),
};

function upload(url: string, body: string): Promise<unknown> {
  const path = `/files?username=user&path=${encodeURIComponent(`${FOLDER}/up.txt`)}`;
  return send(url, { method: 'POST', path, headers: { 'content-type': 'application/octet-stream' }, body });
}

/** Plays a watch: does each step and compares the messages that came by the time its last one is there. */
export async function playWatch(player: Player, index: number): Promise<Difference[]> {
  const { request, response, title } = player.exchange(index);
  const { url } = player.world;
  if (title.startsWith('WatchDir: events caused')) await player.world.run(`rm -rf ${FOLDER}; mkdir -p ${FOLDER}`);
  const stream = open(url, toRequest(request, player.places.fill));
  await stream.until(() => stream.envelopes.length > 0);
  const differences = compareMessages(
    response.first === undefined ? [] : [response.first],
    toMessages(stream.envelopes),
    player.places,
  );
  let seen = 1;
  for (const step of response.steps ?? []) {
    if (step.command !== undefined) await player.world.run(step.command);
    else await CALLS[step.call ?? '']?.(url);
    await settled(stream, player, seen + step.messages.length);
    const came = toMessages(stream.envelopes.slice(seen));
    seen = stream.envelopes.length;
    // A tree made at once is a race: the recording itself says that events inside new folders may be missed.
    const wanted = step.command?.includes('&&') === true ? step.messages.slice(0, 1) : step.messages;
    differences.push(
      ...compareMessages(
        wanted,
        came.slice(0, wanted.length === step.messages.length ? came.length : 1),
        player.places,
      ).map((text) => `${step.command ?? step.call}: ${text}`),
    );
  }
  stream.cut();
  return differences;
}

/**
 * Events of one step are over when those of a later change have come: a second watcher on a folder of its own would not
 * prove that, so the watched tree's own quiet is asked for, in rounds of the event loop and of the daemon.
 */
async function settled(stream: Stream, player: Player, wanted: number): Promise<void> {
  const deadline = Date.now() + 3000;
  let before = -1;
  let quiet = 0;
  while (Date.now() < deadline && (stream.envelopes.length < wanted || quiet < 3)) {
    quiet = stream.envelopes.length === before ? quiet + 1 : 0;
    before = stream.envelopes.length;
    // A round trip through the daemon: whatever it had read from the kernel before is written by now.
    await unary(player.world.url, '/filesystem.Filesystem/Stat', { path: '/' }, basic('root'));
    await new Promise((resolve) => setTimeout(resolve, 25));
    if (stream.envelopes.length < wanted && quiet > 40) return;
  }
}
