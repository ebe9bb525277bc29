import { open, type Stream } from '../../runtime/wire.ts';
import { openWorld, type World } from '../../runtime/world/world.ts';
import { compareAnswer, compareMessages, type Difference, toMessages } from './compare.ts';
import { Placeholders } from './placeholders.ts';
import { type Exchange, load, type Message, toRequest } from './recording.ts';

export type RecordingName = 'http' | 'process' | 'filesystem';

/** Plays one file of recordings in order against a runtime in a world of its own. */
export class Player {
  readonly name: RecordingName;
  readonly exchanges: readonly Exchange[];
  readonly places = new Placeholders();
  readonly #early = new Map<number, Stream>();
  #world: World | undefined;

  constructor(name: RecordingName) {
    this.name = name;
    this.exchanges = load(name);
  }

  get world(): World {
    if (this.#world === undefined) throw new Error('The first exchange must ask for a fresh server.');
    return this.#world;
  }

  async close(): Promise<void> {
    await this.#world?.close();
  }

  exchange(index: number): Exchange {
    const found = this.exchanges[index];
    if (found === undefined) throw new Error(`${this.name} has no exchange ${index}.`);
    return found;
  }

  find(title: string): number {
    return this.exchanges.findIndex((exchange) => exchange.title === title);
  }

  /** A new runtime; files of the former stay as the recording's did, because later entries use them. */
  async #fresh(): Promise<void> {
    const kept =
      this.#world === undefined ? undefined : await this.#world.run('tar -C / -cf - --xattrs root home | base64 -w0');
    await this.#world?.close();
    // Recorded outside a microVM.
    this.#world = await openWorld({ args: ['--env', 'E2B_SANDBOX=false'] });
    await installAttributeTools(this.#world);
    if (kept !== undefined)
      await this.#world.run(`echo ${kept.text} | base64 -d | tar -C / -xf - --xattrs --xattrs-include='*'`);
    else await this.#world.run('mkdir -p /home/user/g /root/g /home/user/p; chown user:user /home/user/g /home/user/p');
  }

  async prepare(index: number): Promise<void> {
    const exchange = this.exchange(index);
    if (exchange.freshServer === true) await this.#fresh();
    for (const command of exchange.setup ?? []) await this.world.run(command);
  }

  /** Opens the stream of a later entry now, because entries before it act on its process. */
  async openEarly(index: number): Promise<Stream> {
    const stream = open(this.world.url, toRequest(this.exchange(index).request, this.places.fill));
    this.#early.set(index, stream);
    await stream.until(() => stream.envelopes.length > 0);
    const pid = pidOf(this.exchange(index).response.messages?.[0] ?? this.exchange(index).response.first);
    if (pid !== undefined && stream.pid !== undefined) this.places.agree(pid, stream.pid);
    return stream;
  }

  early(index: number): Stream | undefined {
    return this.#early.get(index);
  }

  async play(index: number): Promise<Difference[]> {
    const exchange = this.exchange(index);
    const { request, response } = exchange;
    const stream = this.#early.get(index) ?? open(this.world.url, toRequest(request, this.places.fill));
    const answer = await stream.answer();
    const differences =
      response.messages === undefined
        ? compareAnswer(exchange.title, response, answer, this.places)
        : [
            ...compareAnswer(
              exchange.title,
              { ...response, messages: [] },
              { ...answer, body: Buffer.alloc(0) },
              this.places,
            ),
            ...compareMessages(response.messages, toMessages(stream.envelopes), this.places),
          ];
    return [...differences, ...(await this.#after(exchange))];
  }

  async #after(exchange: Exchange): Promise<Difference[]> {
    const differences: Difference[] = [];
    for (const { command, output } of exchange.after ?? []) {
      if (!/^(?:stat|cat|ls|readlink|getfattr) /.test(command)) continue;
      const seen = (await this.world.run(command)).text;
      const wanted = String(this.places.fill(output));
      if (cleaned(command, seen) !== cleaned(command, wanted))
        differences.push(`after, ${command}: ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`);
    }
    return differences;
  }
}

/** The size of a folder is the file system's own. */
function cleaned(command: string, output: string): string {
  return command.includes('%s') ? output.replace(/^(7\d\d \S+ \S+) \d+$/, '$1') : output.trimEnd();
}

export function pidOf(message: Message | undefined): string | undefined {
  const pid = (message?.message as { event?: { start?: { pid?: unknown } } } | undefined)?.event?.start?.pid;
  return typeof pid === 'string' ? pid : undefined;
}

/** `setfattr` and `getfattr` as far as the recordings use them, for machines that lack them. */
async function installAttributeTools(world: World): Promise<void> {
  if ((await world.run('command -v setfattr getfattr')).text.split('\n').length === 2) return;
  const numbers = process.arch === 'arm64' ? { set: 5, get: 8, list: 11 } : { set: 188, get: 191, list: 194 };
  const set = `#!/usr/bin/perl
my %o; while (@ARGV > 1) { my $k = shift; $o{$k} = shift } my $f = shift;
my ($n, $v) = ($o{'-n'}, $o{'-v'});
syscall(${numbers.set}, $f, $n, $v, length $v, 0) == 0 or die "setfattr: $!\\n";`;
  const get = `#!/usr/bin/perl
my $f = $ARGV[-1]; my $b = "\\0" x 65536; my $n = syscall(${numbers.list}, $f, $b, 65536); exit 0 if $n <= 0;
my @l = sort grep { /^user\\./ } split /\\0/, substr $b, 0, $n; exit 0 unless @l; print "# file: $f\\n";
for my $k (@l) { my $v = "\\0" x 65536; my $m = syscall(${numbers.get}, $f, $k, $v, 65536); print "$k=\\"" . substr($v, 0, $m) . "\\"\\n" }`;
  for (const [name, text] of Object.entries({ setfattr: set, getfattr: get }))
    await world.run(`cat > /usr/local/bin/${name} <<'END'\n${text}\nEND\nchmod 755 /usr/local/bin/${name}`);
}
