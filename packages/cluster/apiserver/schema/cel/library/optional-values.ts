import { Environment } from '@marcbachmann/cel-js';

interface OptionalClass {
  of(value: unknown): unknown;
  none(): unknown;
}

/** The evaluator does not export the class of its optionals; it can be asked for one. */
const none = new Environment({ enableOptionalTypes: true }).evaluate('optional.none()') as object;
const Optional = none.constructor as unknown as OptionalClass;

/** An optional with this value, or without one. */
export const maybe = (value: unknown) => (value === undefined ? Optional.none() : Optional.of(value));
