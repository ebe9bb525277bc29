/** kruise 1: the group and its only version. */
export const group = { group: 'agents.kruise.io', version: 'v1alpha1' } as const;
