import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPair, factsOf, issueServing, makeAuthority, splitBundle } from './authority.ts';
import { type CertificateState, nextState, type RotationPolicy } from './rotation.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const t0 = Date.UTC(2026, 0, 1);
const policy: RotationPolicy = {
  commonName: 'test',
  names: ['webhook.system.svc', '127.0.0.1'],
  authorityLifetimeMs: 365 * day,
  servingLifetimeMs: 90 * day,
  settleMs: 5 * minute,
};

const trusted = (state: CertificateState) =>
  splitBundle(state.bundle).some((authority) => factsOf(state.serving.certificate).issuedBy(authority));
const authorities = (state: CertificateState) => splitBundle(state.bundle).length;

test('the first state is whole, for the names that were asked for', async () => {
  const state = await nextState(undefined, t0, policy);
  const facts = factsOf(state.serving.certificate);
  expect(facts.names).toEqual(policy.names);
  expect(trusted(state)).toBe(true);
  expect(() => checkPair(state.serving)).not.toThrow();
  expect(await nextState(state, t0 + day, policy)).toBe(state);
});

describe('a certificate', () => {
  test('is renewed by the same authority when a third of its life is left', async () => {
    const first = await nextState(undefined, t0, policy);
    expect(await nextState(first, t0 + 59 * day, policy)).toBe(first);
    const renewed = await nextState(first, t0 + 61 * day, policy);
    expect(renewed.bundle).toBe(first.bundle);
    expect(renewed.serving.certificate).not.toBe(first.serving.certificate);
    expect(trusted(renewed)).toBe(true);
  });

  test('is made anew for a name that it lacks', async () => {
    const first = await nextState(undefined, t0, policy);
    const more = await nextState(first, t0 + 1, { ...policy, names: [...policy.names, 'other.system.svc'] });
    expect(factsOf(more.serving.certificate).names).toContain('other.system.svc');
    expect(more.bundle).toBe(first.bundle);
  });

  test('of a key that is not its own is told', async () => {
    const authority = await makeAuthority('a', { now: t0, lifetimeMs: day });
    const [one, two] = await Promise.all(
      [1, 2].map(() => issueServing(authority, ['x'], { now: t0, lifetimeMs: day })),
    );
    expect(() => checkPair({ certificate: one?.certificate ?? '', key: two?.key ?? '' })).toThrow('does not belong');
  });
});

test('an authority goes in three steps', async () => {
  const first = await nextState(undefined, t0, { ...policy, servingLifetimeMs: 365 * day });
  const due = t0 + 250 * day;
  const published = await nextState(first, due, policy);
  expect([authorities(published), published.serving]).toEqual([2, first.serving]);
  expect(await nextState(published, due + 4 * minute, policy)).toBe(published);
  const moved = await nextState(published, due + 6 * minute, policy);
  expect(factsOf(moved.serving.certificate).issuedBy(splitBundle(moved.bundle)[0] ?? '')).toBe(true);
  expect(moved.bundle).toBe(published.bundle);
  const later = await nextState(await nextState(moved, t0 + 340 * day, policy), t0 + 366 * day, policy);
  expect(authorities(later)).toBe(1);
  expect(trusted(later)).toBe(true);
});

test.each<[string, Partial<CertificateState>]>([
  ['empty', { bundle: '', authorityKey: '', serving: { certificate: '', key: '' } }],
  ['no bundle', { bundle: 'junk' }],
  ['broken certificate', { serving: { certificate: 'junk', key: 'junk' } }],
  ['no key of the authority', { authorityKey: '' }],
])('a damaged state (%s) is made anew', async (_, damage) => {
  const state = { ...(await nextState(undefined, t0, policy)), ...damage };
  const repaired = await nextState(state, t0, policy);
  expect(trusted(repaired)).toBe(true);
});

test('after a long sleep everything is made anew', async () => {
  const first = await nextState(undefined, t0, policy);
  const woken = await nextState(first, t0 + 1000 * day, policy);
  expect(authorities(woken)).toBe(1);
  expect(factsOf(woken.serving.certificate).notAfter).toBeGreaterThan(t0 + 1000 * day);
});

test('at every moment of years, what any replica serves is trusted by what any API server knows', async () => {
  // Replicas look at least every 10 days here, API servers lag behind by less than the settle time.
  const lag = 10 * day;
  const slow = { ...policy, settleMs: 11 * day };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 60, maxLength: 150 }), async (steps) => {
      const seen = new Map<CertificateState, number>();
      let now = t0;
      let state: CertificateState | undefined;
      for (const step of steps) {
        now += step * day;
        const next = await nextState(state, now, slow);
        const changed = next !== state;
        state = next;
        seen.set(state, now);
        for (const [old, lastAt] of seen) if (now - lastAt > lag) seen.delete(old);
        for (const { serving } of seen.keys()) expect(factsOf(serving.certificate).notAfter).toBeGreaterThan(now);
        if (!changed) continue;
        for (const { serving } of seen.keys()) {
          for (const known of seen.keys()) expect(trusted({ ...known, serving })).toBe(true);
        }
      }
    }),
    { numRuns: 10 },
  );
});
