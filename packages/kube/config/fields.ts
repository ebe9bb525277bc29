import { badConfig } from './bad-config.ts';

/** A mapping from a configuration file that knows where it stands, so that every complaint can name its field. */
export class Fields {
  readonly file: string;
  readonly path: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: unknown, file: string, path = '') {
    this.file = file;
    this.path = path;
    if (values === null || typeof values !== 'object' || Array.isArray(values)) {
      throw badConfig(
        this.at(),
        `must be a mapping, is ${kindOf(values)}`,
        'Compare it with the output of `kubectl config view`',
      );
    }
    this.#values = values as Record<string, unknown>;
  }

  /** `FILE: users[0].user.token`. */
  at(name?: string): string {
    const path = [this.path, name].filter((part) => part).join('.');
    return path === '' ? this.file : `${this.file}: ${path}`;
  }

  has(name: string): boolean {
    const value = this.#values[name];
    return value !== undefined && value !== null && value !== '';
  }

  /** Empty and null count as absent, as they do for kubectl. */
  string(name: string): string | undefined {
    if (!this.has(name)) return undefined;
    const value = this.#values[name];
    if (typeof value === 'string') return value;
    throw badConfig(this.at(name), `must be a string, is ${kindOf(value)}`, 'Put it in quotes');
  }

  boolean(name: string): boolean {
    if (!this.has(name)) return false;
    const value = this.#values[name];
    if (typeof value === 'boolean') return value;
    throw badConfig(this.at(name), `must be true or false, is ${kindOf(value)}`, 'Write true or false without quotes');
  }

  strings(name: string): string[] {
    if (!this.has(name)) return [];
    const value = this.#values[name];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw badConfig(this.at(name), 'must be a list of strings', 'Write one `- "text"` per line');
  }

  fields(name: string): Fields | undefined {
    if (!this.has(name)) return undefined;
    return new Fields(this.#values[name], this.file, this.path === '' ? name : `${this.path}.${name}`);
  }

  list(name: string): Fields[] {
    if (!this.has(name)) return [];
    const value = this.#values[name];
    if (!Array.isArray(value)) {
      throw badConfig(this.at(name), `must be a list, is ${kindOf(value)}`, 'Write one `- name: …` entry per line');
    }
    const base = this.path === '' ? name : `${this.path}.${name}`;
    return value.map((item, index) => new Fields(item, this.file, `${base}[${index}]`));
  }

  keys(): string[] {
    return Object.keys(this.#values);
  }

  /** For parts that are passed on unread. */
  raw(name: string): unknown {
    return this.#values[name];
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}
