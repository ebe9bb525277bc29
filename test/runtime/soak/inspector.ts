/** Looks into the runtime through Node's own inspector: live bytes and timers cannot be counted from outside. */
export interface Inside {
  /** What is reachable after a full collection: heap, buffers, all that the process holds on to. */
  readonly liveMiB: number;
  readonly timers: number;
}

export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #next = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.id === undefined) return;
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  static async connect(port: number): Promise<Inspector> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    const inspector = new Inspector(socket);
    await inspector.#call('HeapProfiler.enable');
    return inspector;
  }

  async look(): Promise<Inside> {
    await this.#call('HeapProfiler.collectGarbage');
    const { result } = await this.#call('Runtime.evaluate', { expression: EXPRESSION, returnByValue: true });
    const [bytes = Number.NaN, timers = Number.NaN] = (result as { result?: { value?: number[] } }).result?.value ?? [];
    if (Number.isNaN(timers)) throw new Error(`The inspector said ${JSON.stringify(result)}`);
    return { liveMiB: Math.round(bytes / 2 ** 16) / 16, timers };
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string, params: object = {}): Promise<Message> {
    const id = this.#next++;
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answered;
  }
}

const EXPRESSION = `(() => {
  const { heapUsed, external } = process.memoryUsage();
  return [heapUsed + external, process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length];
})()`;

interface Message {
  readonly id?: number;
  readonly result?: object;
}
