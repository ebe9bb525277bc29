/**
 * What rules may cost. Evaluation is synchronous, so a rule that loops over loops over a large object would hold the whole
 * process. Every turn of a loop spends one; functions that read whole texts spend by their length. A write has
 * `STEPS_PER_WRITE` for all its rules, about a tenth of a second at worst; then the rest is not run and the write is
 * refused, in the words in which the real server refuses what is too dear for its own, differently counted, budget.
 */
export const STEPS_PER_WRITE = 500_000;

export const BUDGET_MESSAGE = 'operation cancelled: actual cost limit exceeded';

/** One object, made once: thrown at every turn of a loop that goes on after the end of the budget. */
const exhausted = new Error(BUDGET_MESSAGE);

let remaining = 0;

export function refill(steps = STEPS_PER_WRITE): void {
  remaining = steps;
}

export const isSpent = () => remaining < 0;

export function spend(steps: number): void {
  remaining -= steps;
  if (remaining < 0) throw exhausted;
}

/** For functions that read a text from end to end. */
export function spendOn(...texts: readonly string[]): void {
  let length = 0;
  for (const text of texts) length += text.length;
  if (length > 100) spend(Math.ceil(length / 100));
}
