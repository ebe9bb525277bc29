import { expect, describe as group, it } from 'vitest';
import type { Bar } from './definition.ts';
import { describe, exitCode, judge, short } from './verdict.ts';

const bar = (rest: Partial<Bar>): Bar => ({ figure: 'p50', side: 'ours', against: 'theirs', ...rest });
const five = (value: number) => [value, value, value, value, value];

group('judge', () => {
  it('meets and misses only when the whole spread is on one side', () => {
    const atMost = bar({ atMost: 2 });
    expect(judge(atMost, [15, 16, 17, 18, 19], five(10)).outcome).toBe('met');
    expect(judge(atMost, [25, 26, 27, 28, 29], five(10)).outcome).toBe('missed');
    expect(judge(atMost, [15, 16, 17, 18, 25], five(10)).outcome).toBe('inconclusive');
    expect(judge(atMost, [15, 21, 22, 23, 25], five(10)).outcome).toBe('inconclusive');
  });

  it('counts the bar itself as met', () => {
    expect(judge(bar({ atMost: 2 }), five(20), five(10)).outcome).toBe('met');
    expect(judge(bar({ atLeast: 2 }), five(20), five(10)).outcome).toBe('met');
  });

  it('compares medians of rounds, not the median of ratios', () => {
    const verdict = judge(bar({ atMost: 2 }), [10, 20, 30, 40, 50], [50, 40, 30, 20, 10]);
    expect(verdict.ratio).toBe(1);
    expect(verdict.spread).toEqual({ low: 0.2, high: 5 });
    expect(verdict.outcome).toBe('inconclusive');
  });

  it('lets paired rounds cancel what slowed both sides', () => {
    const slowedTogether = judge(bar({ atMost: 1.1 }), [10, 100, 10, 10, 50], [10, 100, 10, 10, 50]);
    expect(slowedTogether.outcome).toBe('met');
  });

  it('takes a second way to meet the bar, by the side alone', () => {
    const either = bar({ atLeast: 0.5, orReaches: 100 });
    expect(judge(either, five(120), five(1000)).outcome).toBe('met');
    expect(judge(either, five(60), five(100)).outcome).toBe('met');
    expect(judge(either, five(60), five(1000)).outcome).toBe('missed');
    expect(judge(either, [90, 95, 100, 105, 110], five(1000)).outcome).toBe('inconclusive');
  });

  it('exits 1 for a miss even beside an inconclusive bar', () => {
    const missed = judge(bar({ atMost: 1 }), five(2), five(1));
    const unclear = judge(bar({ atMost: 1 }), [0.5, 1, 1, 1, 2], five(1));
    const met = judge(bar({ atMost: 3 }), five(2), five(1));
    expect(exitCode([met, unclear, missed])).toBe(1);
    expect(exitCode([met, unclear])).toBe(2);
    expect(exitCode([met])).toBe(0);
    expect(exitCode([])).toBe(0);
  });

  it('says the bar in words', () => {
    expect(describe(bar({ atMost: 2 }))).toBe('p50 of ours ≤ 2 × theirs');
    expect(describe(bar({ atLeast: 1 / 3, orReaches: 100 }))).toBe('p50 of ours ≥ 0.33 × theirs or ≥ 100');
    expect([short(0.0042), short(1234.5), short(12.345)]).toEqual(['4.2e-3', '1,235', '12.35']);
  });
});
