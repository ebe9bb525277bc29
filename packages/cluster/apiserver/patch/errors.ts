/** A patch that can't be applied. `invalid` is the caller's malformed patch (400), `unprocessable` one that does not fit the object (422). */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly code: 'invalid' | 'unprocessable';

  constructor(code: 'invalid' | 'unprocessable', message: string) {
    super(message);
    this.code = code;
  }
}
