import { basic, type Stream, start, stream, unary } from '../../runtime/wire.ts';
import type { Player } from './player.ts';
import { pidOf } from './player.ts';

/**
 * Process recordings are a list, but their streams overlapped: a Start stands where its stream ended, after the calls
 * that acted on it. This says what has to happen before an entry, by its title. Where an entry names the pid of a Start
 * that comes later in the list, that Start is opened first without being named here.
 */
export async function beforeProcessEntry(player: Player, index: number): Promise<void> {
  for (const early of startsNeededBy(player, index)) await player.openEarly(early);
  await SPECIAL[player.exchange(index).title]?.(player);
}

function startsNeededBy(player: Player, index: number): number[] {
  const text = JSON.stringify(player.exchange(index));
  return player.exchanges.flatMap((exchange, at) => {
    const pid = pidOf(exchange.response.messages?.[0]);
    const isLaterStart = at > index && exchange.request.path.endsWith('/Start') && pid !== undefined;
    return isLaterStart && text.includes(pid) && player.early(at) === undefined ? [at] : [];
  });
}

async function shows(player: Player, title: string, text: string): Promise<void> {
  const opened = player.early(player.find(title));
  if (opened === undefined) throw new Error(`"${title}" is not open yet.`);
  const all = () => ['stdout', 'stderr', 'pty'].map((kind) => opened.output(kind as 'stdout').toString()).join('');
  await opened.until(() => all().includes(text));
}

/** A process whose Start is not in the list. */
async function unseen(player: Player, pid: string, cmd: string, args: string[], rest = {}): Promise<Stream> {
  const opened = await start(player.world.url, cmd, args, rest);
  player.places.set(pid, opened.pid);
  return opened;
}

const SPECIAL: Readonly<Record<string, (player: Player) => Promise<unknown>>> = {
  'SendInput when stdin is false': (player) => unseen(player, '<pid:33>', 'sleep', ['0.5'], { stdin: false }),
  'List empty': gone,
  'SendInput while two Connect streams are open': async (player) => {
    await shows(player, 'Start stream of the tagged process', 'got a');
    await player.openEarly(player.find('Connect by pid to a running process (opened after the first line): no replay'));
    await player.openEarly(player.find('Connect by tag to a running process'));
  },
  'SendInput that ends the process': (player) => shows(player, 'Start stream of the tagged process', 'got b'),
  'List two processes with one tag': async (player) => {
    await gone(player);
    await unseen(player, '<pid:36>', 'sleep', ['0.6'], { tag: 'dup' });
    await unseen(player, '<pid:37>', 'sleep', ['0.6'], { tag: 'dup' });
  },
  'SendSignal TERM to a process with a trap': (player) =>
    shows(player, 'stream of the process with a trap: output after the signal may be lost', 'ready'),
  'SendSignal by number 15': (player) => unseen(player, '<pid:41>', 'sleep', ['30']),
  'SendSignal unspecified': (player) => unseen(player, '<pid:42>', 'sleep', ['30']),
  'SendSignal KILL to a shell with children holding the pipes': (player) =>
    shows(player, 'stream after KILL with children alive: ends at once', '\n'),
  'Connect-Timeout-Ms 500 with sleep 5': gone,
  'List after timeouts: killed ones are gone, the one started with Connect-Timeout-Ms 0 still runs': (player) =>
    listed(player, (tags) => tags.length <= 1),
  'Connect to a process that was killed by its timeout': async (player) => {
    const killed = stream(
      player.world.url,
      '/process.Process/Start',
      { process: { cmd: 'sleep', args: ['5'] } },
      { ...basic('user'), 'connect-timeout-ms': '300' },
    );
    player.places.set('<pid:50>', await killed.started());
    await killed.finished();
  },
  'List: process still there': (player) => listed(player, (tags) => tags.includes('ct')),
  'Connect with Keepalive-Ping-Interval 1': (player) => unseen(player, '<pid:54>', 'sleep', ['2.5']),
  'Connect by pid more than 30 s after the end': async (player) => {
    const asked = { process: { pid: player.places.get('<pid:35>') } };
    for (let tries = 0; tries < 90; tries++) {
      const opened = stream(player.world.url, '/process.Process/Connect', asked);
      await opened.finished();
      if (opened.envelopes.length === 1) return;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  },
  'List after the bad keep-alive intervals': gone,
  'Update pty size': (player) => shows(player, 'Start with pty 100x30, resized to 50x10, input abc', 'istty'),
  'List after the client cut the Start stream: process lives': async (player) => {
    const script = 'echo one; sleep 1; echo two; sleep 1; echo three > /home/user/p/survived; echo three';
    const opened = await unseen(player, '<pid:69>', '/bin/bash', ['-c', script]);
    await opened.until(() => opened.output('stdout').includes('one'));
    opened.cut();
    await listed(player, (_, count) => count === 1);
  },
  'Connect by tag after two processes with this tag have ended: the later one is served': async (player) => {
    for (const pid of ['<pid:1001>', '<pid:1002>'])
      await (await unseen(player, pid, 'true', [], { tag: 'again' })).finished();
  },
};

/** Waits until the daemon lists nothing: entries before left processes that end by themselves. */
function gone(player: Player): Promise<void> {
  return listed(player, (_, count) => count === 0);
}

async function listed(player: Player, good: (tags: string[], count: number) => boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const answer = await unary(player.world.url, '/process.Process/List', {});
    const { processes = [] } = JSON.parse(answer.body.toString()) as { processes?: { tag?: string }[] };
    if (
      good(
        processes.map(({ tag }) => tag ?? ''),
        processes.length,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('The list of processes did not become what the recording had.');
}
