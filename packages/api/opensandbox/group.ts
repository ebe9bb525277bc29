/** opensandbox 1: the group and its only version. */
export const group = { group: 'sandbox.opensandbox.io', version: 'v1alpha1' } as const;
