/** The media types that a caller takes, in its order. */
export interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export function clauses(accept: string | undefined): Clause[] {
  const text = accept?.trim();
  return (text === undefined || text === '' ? '*/*' : text).split(',').map((clause) => {
    const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
    const pairs = rest.map((part): [string, string] => {
      const [name = '', value = ''] = part.split('=', 2);
      return [name, value];
    });
    return { type: type.toLowerCase(), parameters: new Map(pairs) };
  });
}

/** The first of the caller's types that is offered; a wildcard takes the first that is. */
export function firstOf<T extends string>(accept: string | undefined, offered: readonly T[]): T | undefined {
  for (const { type } of clauses(accept)) {
    const found = type === '*/*' || type === 'application/*' ? offered[0] : offered.find((one) => one === type);
    if (found !== undefined) return found;
  }
  return undefined;
}
