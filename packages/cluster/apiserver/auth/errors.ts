/** What can go wrong around keys, tokens and kubeconfigs before a request is ever served. The command prints the message. */
export const authErrorCodes = {
  'pki-damaged': 'A file with a key or a certificate of the cluster can not be used.',
  'pki-io': 'The folder of keys and certificates can not be read or written.',
  'kubeconfig-invalid': 'An existing kubeconfig is not one, and is left as it is.',
  'kubeconfig-locked': 'Another program is writing the kubeconfig.',
  'kubeconfig-io': 'The kubeconfig can not be read or written.',
} as const;

export type AuthErrorCode = keyof typeof authErrorCodes;

export class AuthError extends Error {
  override readonly name = 'AuthError';
  readonly code: AuthErrorCode;

  constructor(code: AuthErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
