/**
 * What a benchmark is. Every benchmark of the project has this one form, so that its claims can be compared and doubted
 * in the same way: sides measured in turn within one run, ratios between them, bars on ratios.
 */

/** `lower` and `higher` say which way is better; they colour nothing and only serve the reader of the table. */
export interface FigureForm {
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  readonly note?: string;
}

/** One measurement of one side: a number per figure. It is called once per round, never at the same time as another. */
export type Side = (round: Round) => Promise<Readonly<Record<string, number>>>;

export interface Round {
  /** 0-based; warm-up rounds have negative numbers. */
  readonly number: number;
  readonly signal: AbortSignal;
}

/** A claim about `side` relative to `against`: the ratio `side / against` of one figure, bounded from one end. */
export interface Bar {
  readonly figure: string;
  readonly side: string;
  readonly against: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Also met when the side's own figure reaches this value. Not allowed for figures in units of time. */
  readonly orReaches?: number;
}

export interface Experiment {
  readonly name: string;
  readonly figures: Readonly<Record<string, FigureForm>>;
  /** Measured in this order, round after round: A B C, A B C, ... */
  readonly sides: Readonly<Record<string, Side>>;
  readonly bars?: readonly Bar[];
  /** Left out: 8 rounds, 5 with --quick, after 1 warm-up. Fewer than 5 are refused. */
  readonly rounds?: number;
  readonly warmUps?: number;
}

export interface Run {
  readonly quick: boolean;
  readonly signal: AbortSignal;
  /** Prints a line of progress for people (stderr). */
  say(line: string): void;
}

export interface Prepared {
  readonly experiments: readonly Experiment[];
  /** Everything that another run must repeat: counts, sizes, versions. Written to the result. */
  readonly settings: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** A module `bench/NAME.ts` or `bench/NAME/index.ts` exports one of these as `benchmark`. */
export interface Benchmark {
  readonly title: string;
  readonly about: string;
  /** Why the benchmark cannot run on this machine, in words for its user; undefined when it can. */
  missing?(): Promise<string | undefined>;
  /** Starts servers, makes data. Whatever it started is ended by `close`, also after an error. */
  prepare(run: Run): Promise<Prepared>;
}

export class BenchError extends Error {
  readonly code: 'definition' | 'unknown-benchmark' | 'cannot-run' | 'measurement' | 'usage';
  constructor(code: BenchError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BenchError';
    this.code = code;
  }
}

export const MINIMUM_ROUNDS = 5;
const TIME_UNITS = new Set(['ns', 'us', 'µs', 'ms', 's', 'min']);

/** Refuses an experiment whose bars could not be judged, before an hour is spent on measuring it. */
export function validate(experiment: Experiment): void {
  const fail = (what: string): never => {
    throw new BenchError('definition', `Experiment "${experiment.name}": ${what}.`);
  };
  if (Object.keys(experiment.sides).length === 0) fail('has no sides');
  if (Object.keys(experiment.figures).length === 0) fail('declares no figures');
  if (experiment.rounds !== undefined && experiment.rounds < MINIMUM_ROUNDS)
    fail(`asks for ${experiment.rounds} rounds; at least ${MINIMUM_ROUNDS} are needed to judge a median`);
  for (const bar of experiment.bars ?? []) {
    const form = experiment.figures[bar.figure];
    if (form === undefined) fail(`a bar names the figure "${bar.figure}", which is not declared`);
    for (const side of [bar.side, bar.against])
      if (!(side in experiment.sides)) fail(`a bar names the side "${side}", which does not exist`);
    if ((bar.atMost === undefined) === (bar.atLeast === undefined))
      fail(`the bar on "${bar.figure}" needs exactly one of atMost and atLeast`);
    if (bar.orReaches !== undefined && TIME_UNITS.has(form?.unit ?? ''))
      fail(`the bar on "${bar.figure}" is an absolute time; times are printed, never bars`);
    if (bar.orReaches !== undefined && bar.atLeast === undefined)
      fail(`the bar on "${bar.figure}" has orReaches, which goes with atLeast`);
  }
}
