/** The two forms in which Kubernetes writes a point in time. Both take milliseconds since the epoch. */

/** metav1.Time: whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** metav1.MicroTime: six digits behind the point, no more and no fewer. */
export function microTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
