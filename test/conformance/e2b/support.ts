import { Sandbox } from 'e2b';
import { afterAll, beforeAll } from 'vitest';
import { openWorld, type World, type WorldOptions } from '../../runtime/world/world.ts';

/**
 * Titles of cases begin with what they cover, as in `commands.run + CommandExitError: ...`; the table in
 * docs/conformance/e2b.md is made from them (table.ts).
 */
export interface Fixture {
  readonly world: World;
  readonly sandbox: Sandbox;
}

/** One runtime per test file, reached by the unmodified SDK in its debug mode. `sandboxUrl` only frees the port. */
export function useSandbox(options: WorldOptions = {}): Fixture {
  let world: World | undefined;
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    world = await openWorld(options);
    await init(world, { defaultUser: 'user' });
    sandbox = await Sandbox.create({ debug: true, sandboxUrl: world.url });
  }, 60_000);
  afterAll(() => world?.close());
  const opened = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('Used before the world was opened.');
    return value;
  };
  return {
    get world() {
      return opened(world);
    },
    get sandbox() {
      return opened(sandbox);
    },
  };
}

/** What the control plane does when a sandbox is claimed. */
export async function init(world: World, body: Record<string, unknown>, headers: Record<string, string> = {}) {
  const answer = await fetch(`${world.url}/init`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (answer.status !== 204) throw new Error(`/init answered ${answer.status}: ${await answer.text()}`);
}

/** Collects what callbacks bring and lets a test wait for it, so that no test waits by the clock. */
export class Inbox<Item> {
  readonly items: Item[] = [];
  readonly #waiting = new Set<() => void>();

  readonly push = (item: Item): void => {
    this.items.push(item);
    for (const wake of this.#waiting) wake();
  };

  /** Resolves as soon as what came so far satisfies `enough`; the test's own timeout is the limit. */
  until(enough: (items: readonly Item[]) => boolean): Promise<readonly Item[]> {
    return new Promise((resolve) => {
      const look = () => {
        if (!enough(this.items)) return;
        this.#waiting.delete(look);
        resolve(this.items);
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** Output arrives in chunks of any size: text is judged as a whole. */
export class TextInbox extends Inbox<string> {
  get text(): string {
    return this.items.join('');
  }

  async untilText(part: string): Promise<string> {
    await this.until(() => this.text.includes(part));
    return this.text;
  }
}

export class TerminalInbox extends TextInbox {
  readonly #decoder = new TextDecoder();
  readonly pushBytes = (bytes: Uint8Array): void => this.push(this.#decoder.decode(bytes, { stream: true }));
}

/** The error of a promise that must fail, typed so that its fields can be asserted. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('Expected a rejection, but the promise was fulfilled.');
    },
    (error: unknown) => error,
  );
}

/** Asks again until the answer is good; the test's own timeout is the limit. */
export async function eventually<Value>(
  question: () => Promise<Value>,
  good: (answer: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const answer = await question();
    if (good(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
