/** What the real API server answers, as bytes: documents and protobuf are not for a JSON client. */
import { Agent, request } from 'undici';
import type { Json } from '../../schema/structural.ts';

export interface ServerAddress {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

export class RealDocuments {
  readonly #api: ServerAddress;
  readonly #agent: Agent;

  constructor(api: ServerAddress) {
    this.#api = api;
    this.#agent = new Agent({ connect: { ca: api.ca } });
  }

  async send(method: 'GET' | 'POST' | 'DELETE', path: string, accept: string, body?: Json | Buffer): Promise<Raw> {
    const isBytes = Buffer.isBuffer(body);
    const answer = await request(`${this.#api.url}${path}`, {
      method,
      dispatcher: this.#agent,
      ...(body !== undefined && { body: isBytes ? body : JSON.stringify(body) }),
      headers: {
        accept,
        'content-type': isBytes ? PROTOBUF : 'application/json',
        authorization: `Bearer ${this.#api.token}`,
      },
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: Buffer.from(await answer.body.arrayBuffer()),
    };
  }

  async json<T = Json>(path: string, accept = 'application/json'): Promise<T> {
    const { status, body } = await this.send('GET', path, accept);
    if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${body.toString('utf8')}`);
    return JSON.parse(body.toString('utf8')) as T;
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}
