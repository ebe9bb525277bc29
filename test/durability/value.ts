/** The value of write N: its number, so that it is found in a trace and in the store, and a length that differs. */
export function valueFor(n: number): string {
  return `${markerOf(n)}${'.'.repeat((n * 7919) % 4000)}`;
}

export function markerOf(n: number): string {
  return `<write ${n}>`;
}
