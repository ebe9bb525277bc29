/** An evaluation that failed, in the words in which the real server says it. */
export class CelProblem extends Error {
  override readonly name = 'CelProblem';
}
