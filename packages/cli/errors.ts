/** The command line itself was wrong: exit code 2, as most Unix tools answer. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
