import type { Command } from 'commander';
import { sandbank } from './program.ts';

/** The pages of docs/reference/cli.md, from the same declarations that `--help` prints. */
export function commandReference(): string {
  return sections(sandbank(), []).join('\n\n');
}

function sections(command: Command, parents: readonly string[]): string[] {
  const path = [...parents, command.name()];
  const own = command.commands.length > 0 ? [] : [section(command, path)];
  return [...own, ...command.commands.flatMap((child) => sections(child, path))];
}

function section(command: Command, path: readonly string[]): string {
  const lines = [`## \`${path.join(' ')}\``, '', sentence(command.description())];
  if (command.options.length > 0) {
    lines.push('', '| Flag | Environment | Default | Meaning |', '|---|---|---|---|');
    for (const { flags, envVar, defaultValue, description } of command.options) {
      const cells = [
        `\`${flags}\``,
        envVar ? `\`${envVar}\`` : '',
        defaultValue === undefined ? '' : `\`${String(defaultValue)}\``,
        description,
      ];
      lines.push(`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    }
  }
  return lines.join('\n');
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
