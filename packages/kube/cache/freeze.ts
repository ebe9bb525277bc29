/** On under test: who writes to a cached object learns it there, and production pays nothing. */
export const freezeByDefault: boolean = process.env['VITEST'] !== undefined || process.env['NODE_ENV'] === 'test';

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
