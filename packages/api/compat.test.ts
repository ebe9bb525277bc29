import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as kruise from './kruise/index.ts';
import * as navix from './navix/index.ts';
import * as opensandbox from './opensandbox/index.ts';

/** The pages of docs/compat and the code that cites them must not drift apart. */

const page = (name: string) => readFileSync(join(import.meta.dirname, `../../docs/compat/${name}.md`), 'utf8');

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => [file, readFileSync(join(import.meta.dirname, file), 'utf8')] as const);

describe.each(['opensandbox', 'kruise', 'navix'])('docs/compat/%s.md', (name) => {
  const sections = new Set([...page(name).matchAll(/^#+ (\d[\d.]*?)\.? /gm)].map(([, number]) => number));

  test('has every section that the code cites', () => {
    const citation = new RegExp(`\\b${name} (\\d[\\d.]*(?:, \\d[\\d.]*)*)`, 'g');
    const cited = sources.flatMap(([file, text]) =>
      [...text.matchAll(citation)].flatMap(([, numbers = '']) =>
        numbers.split(', ').map((number) => ({ file, section: number.replace(/\.$/, '') })),
      ),
    );
    expect(cited.length).toBeGreaterThan(10);
    expect(cited.filter(({ section }) => !sections.has(section))).toEqual([]);
  });
});

test.each([
  ['opensandbox', opensandbox],
  ['kruise', kruise],
  ['navix', navix],
])('docs/compat/%s.md has every word and key of the code', (name, exported) => {
  const text = page(name);
  // A page may shorten the second of two keys to what follows their common prefix.
  const missing = [...words(Object.values(exported))].filter(
    (word) => !text.includes(word) && !text.includes(`\`${word.slice(word.indexOf('/') + 1)}\``),
  );
  expect(missing).toEqual([]);
});

function* words(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null && !('plural' in value) && !('~kind' in value))
    for (const inner of Object.values(value)) yield* words(inner);
}
