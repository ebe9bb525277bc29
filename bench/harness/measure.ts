import { BenchError, type Experiment, MINIMUM_ROUNDS, type Run, validate } from './definition.ts';
import { type Interval, median, spread } from './statistics.ts';
import { judge, type Verdict } from './verdict.ts';

export interface Measured {
  readonly name: string;
  readonly figures: Experiment['figures'];
  readonly rounds: number;
  readonly warmUps: number;
  /** side -> figure -> what was seen. */
  readonly sides: Readonly<Record<string, Readonly<Record<string, Series>>>>;
  readonly verdicts: readonly Verdict[];
}

export interface Series {
  readonly values: readonly number[];
  readonly median: number;
  readonly spread: Interval;
}

export interface RoundCounts {
  readonly rounds?: number | undefined;
  readonly quick: boolean;
}

/** Rounds that run when the experiment does not say: 8 let one outlier on each end go, 5 are the least. */
export function countRounds(experiment: Experiment, asked: RoundCounts): number {
  const usual = asked.quick ? MINIMUM_ROUNDS : 8;
  return Math.max(MINIMUM_ROUNDS, asked.rounds ?? experiment.rounds ?? usual);
}

/** Runs the sides in turn, warm-ups first, and judges the bars. A side that fails fails the run: a gap proves nothing. */
export async function measure(experiment: Experiment, run: Run, asked: RoundCounts): Promise<Measured> {
  validate(experiment);
  const rounds = countRounds(experiment, asked);
  const warmUps = experiment.warmUps ?? 1;
  const seen = new Map<string, Map<string, number[]>>();
  for (const side of Object.keys(experiment.sides))
    seen.set(side, new Map(Object.keys(experiment.figures).map((figure) => [figure, []])));

  for (let number = -warmUps; number < rounds; number++) {
    run.say(`${experiment.name}: ${number < 0 ? 'warm-up' : `round ${number + 1} of ${rounds}`}`);
    for (const [name, side] of Object.entries(experiment.sides)) {
      run.signal.throwIfAborted();
      const figures = await side({ number, signal: run.signal }).catch((cause: unknown) => {
        throw new BenchError(
          'measurement',
          `"${experiment.name}", side "${name}", ${number < 0 ? 'warm-up' : `round ${number + 1}`}: ${String(cause)}`,
          { cause },
        );
      });
      if (number >= 0) keep(experiment, name, figures, seen.get(name) ?? new Map());
    }
  }

  const sides = Object.fromEntries(
    [...seen].map(([side, figures]) => [
      side,
      Object.fromEntries(
        [...figures]
          .filter(([, values]) => values.length > 0)
          .map(([figure, values]) => [figure, { values, median: median(values), spread: spread(values) }]),
      ),
    ]),
  );
  const verdicts = (experiment.bars ?? []).map((bar) =>
    judge(bar, sides[bar.side]?.[bar.figure]?.values ?? [], sides[bar.against]?.[bar.figure]?.values ?? []),
  );
  return { name: experiment.name, figures: experiment.figures, rounds, warmUps, sides, verdicts };
}

/** A side may leave out a figure that it does not have, but then in every round, so that series stay comparable. */
function keep(
  experiment: Experiment,
  side: string,
  seen: Readonly<Record<string, number>>,
  into: Map<string, number[]>,
) {
  for (const [figure, value] of Object.entries(seen)) {
    const values = into.get(figure);
    if (values === undefined)
      throw new BenchError('definition', `"${experiment.name}", side "${side}": figure "${figure}" is not declared.`);
    if (!Number.isFinite(value))
      throw new BenchError('measurement', `"${experiment.name}", side "${side}": ${figure} is ${value}.`);
    values.push(value);
  }
  const lengths = new Set([...into.values()].map((values) => values.length).filter((length) => length > 0));
  if (lengths.size > 1)
    throw new BenchError('measurement', `"${experiment.name}", side "${side}": a figure is missing in some rounds.`);
}
