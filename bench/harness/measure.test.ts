import { describe, expect, it } from 'vitest';
import { BenchError, type Experiment, type Run } from './definition.ts';
import { measure } from './measure.ts';
import { complaints, markdown, type Report, table } from './report.ts';

const figures = { p50: { unit: 'ms', better: 'lower' }, speed: { unit: 'MiB/s', better: 'higher' } } as const;

function run(signal = new AbortController().signal): Run {
  return { quick: true, signal, say: () => undefined };
}

function experiment(rest: Partial<Experiment>): Experiment {
  return { name: 'echo', figures, sides: { ours: async () => ({ p50: 1 }) }, ...rest };
}

describe('measure', () => {
  it('alternates the sides, warm-ups first, and keeps only the rounds', async () => {
    const order: string[] = [];
    const side = (name: string) => async (round: { number: number }) => {
      order.push(`${name}${round.number}`);
      return { p50: round.number };
    };
    const seen = await measure(experiment({ sides: { a: side('a'), b: side('b') } }), run(), { quick: true });
    expect(order.join(' ')).toBe('a-1 b-1 a0 b0 a1 b1 a2 b2 a3 b3 a4 b4');
    expect(seen.sides['a']?.['p50']?.values).toEqual([0, 1, 2, 3, 4]);
    expect(seen.sides['a']?.['speed']).toBeUndefined();
  });

  it('never runs two sides at once', async () => {
    let running = 0;
    const side = async () => {
      expect(++running).toBe(1);
      await new Promise(setImmediate);
      running--;
      return { p50: 1 };
    };
    await measure(experiment({ sides: { a: side, b: side, c: side } }), run(), { quick: true });
  });

  it.each<[string, Partial<Experiment>]>([
    ['rounds', { rounds: 4 }],
    ['sides', { sides: {} }],
    ['not declared', { bars: [{ figure: 'nope', side: 'ours', against: 'ours', atMost: 1 }] }],
    ['does not exist', { bars: [{ figure: 'p50', side: 'ours', against: 'nobody', atMost: 1 }] }],
    ['exactly one', { bars: [{ figure: 'p50', side: 'ours', against: 'ours' }] }],
    ['never bars', { bars: [{ figure: 'p50', side: 'ours', against: 'ours', atLeast: 1, orReaches: 5 }] }],
  ])('refuses a definition that cannot be judged: %s', async (words, rest) => {
    await expect(measure(experiment(rest), run(), { quick: true })).rejects.toThrow(words);
  });

  it('fails as a whole when a side fails, when a figure is unknown, not a number or now and then missing', async () => {
    const failing = (side: Experiment['sides'][string]) =>
      measure(experiment({ sides: { side } }), run(), { quick: true });
    await expect(failing(() => Promise.reject(new Error('no server')))).rejects.toThrow('no server');
    await expect(failing(async () => ({ odd: 1 }))).rejects.toThrow('not declared');
    await expect(failing(async () => ({ p50: Number.NaN }))).rejects.toThrow(BenchError);
    await expect(failing(async ({ number }) => (number === 2 ? { speed: 1 } : { p50: 1, speed: 1 }))).rejects.toThrow(
      'missing',
    );
  });

  it('stops between sides when it is told to', async () => {
    const stop = new AbortController();
    const sides = {
      a: async () => {
        stop.abort(new Error('stopped'));
        return { p50: 1 };
      },
      b: () => Promise.reject(new Error('b ran')),
    };
    await expect(measure(experiment({ sides }), run(stop.signal), { quick: true })).rejects.toThrow('stopped');
  });

  it('reports every figure, its spread and each bar that was not met', async () => {
    const measured = await measure(
      experiment({
        sides: { ours: async () => ({ p50: 3, speed: 90 }), theirs: async () => ({ p50: 1, speed: 100 }) },
        bars: [
          { figure: 'p50', side: 'ours', against: 'theirs', atMost: 2 },
          { figure: 'speed', side: 'ours', against: 'theirs', atLeast: 0.5 },
        ],
      }),
      run(),
      { quick: true },
    );
    const report: Report = {
      benchmark: 'x',
      title: 'X',
      startedAt: 'now',
      quick: true,
      settings: {},
      experiments: [measured],
      machine: { cpu: 'c', cores: 1, memoryGiB: 1, platform: 'p', kernel: 'k', node: 'n', loadBefore: [], commit: 'z' },
    };
    expect(complaints(report)).toEqual(['echo: p50 of ours ≤ 2 × theirs: missed: ratio 3, spread 3–3']);
    expect(table(report)).toMatch(/ours +3 ms +3–3 +3 \(3–3\) +≤ 2 × theirs +missed/);
    expect(markdown(report)).toContain('| echo | speed (higher is better) | theirs | 100 MiB/s | 100–100 |  |  |  |');
  });
});
