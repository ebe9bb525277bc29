/** Kinds that are stored and served, and that nothing in the embedded cluster acts upon. */
export const notRunHere = (kind: string) => (): string[] => [
  `the embedded cluster stores ${kind} objects but has no controller that runs them; use a cluster with kube-controller-manager`,
];
