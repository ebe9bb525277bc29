/** navix 1: the group and its only version. */
export const group = { group: 'agents.navix.sh', version: 'v1alpha1' } as const;
