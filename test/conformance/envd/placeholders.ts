/**
 * Recordings name pids and watcher ids by number (`<pid:3>`). This keeps what those numbers are in this run: values are
 * learned where an answer shows them first, and filled in where a request needs them.
 */
export class Placeholders {
  readonly #known = new Map<string, unknown>();

  constructor(now: Date = new Date()) {
    this.#known.set('<now>', now.toISOString());
    this.#known.set('<the same now>', now.toISOString());
    this.#known.set('<one hour before now>', new Date(now.getTime() - 3_600_000).toISOString());
  }

  set(name: string, value: unknown): void {
    this.#known.set(name, value);
  }

  get(name: string): unknown {
    return this.#known.get(name);
  }

  readonly fill = (value: unknown): unknown => {
    if (typeof value === 'string') return this.#fillText(value);
    if (Array.isArray(value)) return value.map(this.fill);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.fill(inner)]));
  };

  #fillText(text: string): unknown {
    if (PLACEHOLDER.test(text)) {
      const value = this.#known.get(text);
      if (value === undefined) throw new Error(`${text} is needed before this run has seen it.`);
      return value;
    }
    return text.replace(/<(?:pid|watcherId):\d+>/g, (name) => String(this.#known.get(name) ?? name));
  }

  /** True when the value may stand for the placeholder; a placeholder that is still free takes it. */
  agree(name: string, value: unknown): boolean {
    if (name === '<time>') return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
    if (name === '<http-date>') return typeof value === 'string' && !Number.isNaN(Date.parse(value));
    if (name === '<integer>') return Number.isInteger(value);
    if (name === '<number>') return typeof value === 'number';
    if (name === '<varies>') return true;
    const known = this.#known.get(name);
    if (known !== undefined) return known === value;
    if (name.startsWith('<pid:') && !Number.isInteger(value)) return false;
    if (name.startsWith('<watcherId:') && !/^w[0-9A-Za-z]{20}$/.test(String(value))) return false;
    this.#known.set(name, value);
    return true;
  }
}

const PLACEHOLDER = /^<(?:(?:pid|watcherId):\d+|now|the same now|one hour before now)>$/;
export const isPlaceholder = (value: unknown): value is string =>
  typeof value === 'string' && /^<(?:pid:\d+|watcherId:\d+|time|http-date|integer|number|varies)>$/.test(value);
