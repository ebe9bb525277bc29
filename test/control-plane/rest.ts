import { request } from 'node:https';
import { ControlPlaneError } from './errors.ts';

export type Answer = { readonly status: number; readonly body: string };

/**
 * The few requests that the fixture itself makes. It has a client of its own, of thirty lines, because the packages
 * under test must not be what prepares their test.
 */
export class Rest {
  readonly #url: string;
  readonly #ca: string;
  readonly #token: string;

  constructor(url: string, ca: string, token: string) {
    this.#url = url;
    this.#ca = ca;
    this.#token = token;
  }

  /** Rejects only when no answer came. */
  send(
    method: string,
    path: string,
    body?: unknown,
    contentType = 'application/json',
    timeoutMs = 10_000,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, this.#url),
        {
          method,
          ca: this.#ca,
          // A server that was killed and started again must not be asked over the old connection.
          agent: false,
          headers: { authorization: `Bearer ${this.#token}`, 'content-type': contentType },
          signal: AbortSignal.timeout(timeoutMs),
        },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
          answer.on('error', reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Creates or updates, by server-side apply. */
  async apply(path: string, object: object): Promise<void> {
    const query = 'fieldManager=test-control-plane&force=true';
    await this.expect('PATCH', `${path}?${query}`, object, 'application/apply-patch+yaml');
  }

  async expect(method: string, path: string, body?: unknown, contentType?: string): Promise<unknown> {
    const answer = await this.send(method, path, body, contentType);
    if (answer.status >= 300) {
      throw new ControlPlaneError('REQUEST_FAILED', `${method} ${path} was answered ${answer.status}: ${answer.body}`);
    }
    return JSON.parse(answer.body);
  }

  /** Whether the server says that it is ready; any failure means not yet. */
  async ready(path = '/readyz'): Promise<boolean> {
    try {
      return (await this.send('GET', path, undefined, undefined, 2_000)).status === 200;
    } catch {
      return false;
    }
  }
}
