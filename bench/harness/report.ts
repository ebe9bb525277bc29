import type { Machine } from './machine.ts';
import type { Measured } from './measure.ts';
import { describe, short, type Verdict } from './verdict.ts';

export interface Report {
  readonly benchmark: string;
  readonly title: string;
  readonly startedAt: string;
  readonly quick: boolean;
  readonly machine: Machine;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly experiments: readonly Measured[];
}

const HEAD = ['experiment', 'figure', 'side', 'median', 'spread', 'ratio', 'bar', 'verdict'] as const;
type Row = readonly string[];

/** One row per side and figure; a bar stands on the row of the side that it is about. */
function rows(report: Report): Row[] {
  return report.experiments.flatMap((experiment) =>
    Object.entries(experiment.figures).flatMap(([figure, form]) =>
      Object.entries(experiment.sides).flatMap(([side, series]) => {
        const seen = series[figure];
        if (seen === undefined) return [];
        const own = [
          experiment.name,
          `${figure} (${form.better} is better)`,
          side,
          `${short(seen.median)} ${form.unit}`,
          `${short(seen.spread.low)}–${short(seen.spread.high)}`,
        ];
        const verdicts = experiment.verdicts.filter(({ bar }) => bar.figure === figure && bar.side === side);
        if (verdicts.length === 0) return [[...own, '', '', '']];
        return verdicts.map((verdict) => [
          ...own,
          `${short(verdict.ratio)} (${short(verdict.spread.low)}–${short(verdict.spread.high)})`,
          boundOf(verdict),
          verdict.outcome,
        ]);
      }),
    ),
  );
}

function boundOf({ bar }: Verdict): string {
  return describe(bar).slice(`${bar.figure} of ${bar.side} `.length);
}

export function table(report: Report): string {
  const all: Row[] = [HEAD, ...rows(report)];
  const widths = HEAD.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: Row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  let former = '';
  const body = all.slice(1).map((row) => {
    const shown = row[0] === former ? ['', ...row.slice(1)] : row;
    former = row[0] ?? '';
    return line(shown);
  });
  return [line(HEAD), widths.map((width) => '─'.repeat(width)).join('  '), ...body].join('\n');
}

export function markdown(report: Report): string {
  const cells = (row: Row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const { machine } = report;
  return [
    `# ${report.title}`,
    '',
    `${report.startedAt}, ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGiB} GiB, ${machine.platform}, Node ${machine.node}, commit ${machine.commit}${report.quick ? ', quick run' : ''}. Medians of rounds; the spread covers the true median with at least 90 %.`,
    '',
    cells(HEAD),
    cells(HEAD.map(() => '---')),
    ...rows(report).map(cells),
    '',
  ].join('\n');
}

/** What --check has to say, one line per bar that was not met. */
export function complaints(report: Report): string[] {
  return report.experiments.flatMap(({ name, verdicts }) =>
    verdicts
      .filter(({ outcome }) => outcome !== 'met')
      .map((verdict) => {
        const seen = `${short(verdict.ratio)}, spread ${short(verdict.spread.low)}–${short(verdict.spread.high)}`;
        const own = verdict.reached === undefined ? '' : `; itself ${short(verdict.reached.value)}`;
        const why = verdict.outcome === 'missed' ? 'missed' : 'inconclusive (the spread is wider than the margin)';
        return `${name}: ${describe(verdict.bar)}: ${why}: ratio ${seen}${own}`;
      }),
  );
}
