import { join } from 'node:path';
import { filesIn, type Output, readText } from './output.ts';

/**
 * Tables in the docs that come from code. A file says where and which:
 *
 *     <!-- generated:kube-errors -->
 *     …replaced by `npm run generate`…
 *     <!-- /generated -->
 *
 * What stands behind the name is the argument of the table: `generated:kind-fields pools.sandbox.opensandbox.io spec`.
 */
export type Table = (argument: string) => string;

const block = /^(<!-- generated:([\w-]+)((?: [\w.-]+)*) -->)\n[\s\S]*?^(<!-- \/generated -->)$/gm;
const opening = /^<!-- generated:/gm;

/** The README and every page under docs/ that has such blocks. */
export async function fillDocs(root: string, tables: Readonly<Record<string, Table>>): Promise<Output> {
  const files = new Map<string, string>();
  const pages = (await filesIn(root, 'docs')).filter((path) => path.endsWith('.md'));
  for (const path of ['README.md', ...pages]) {
    const text = await readText(join(root, path));
    if (text?.includes('<!-- generated:')) files.set(path, fillBlocks(path, text, tables));
  }
  return { files, folders: [] };
}

function fillBlocks(path: string, text: string, tables: Readonly<Record<string, Table>>): string {
  let filled = 0;
  const result = text.replace(block, (_, open: string, name: string, argument: string, close: string) => {
    filled += 1;
    const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (!table) {
      const known = Object.keys(tables).join(', ');
      throw new Error(`${path}: there is no generated table named ${name}; known are ${known}`);
    }
    return `${open}\n${table(argument.trim()).trimEnd()}\n${close}`;
  });
  const opened = text.match(opening)?.length ?? 0;
  if (opened !== filled) {
    throw new Error(
      `${path}: ${opened} generated blocks are opened, ${filled} are closed; end each with <!-- /generated -->`,
    );
  }
  return result;
}

/** A markdown table; bars and line breaks inside cells are escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
