/** A body that cannot be read, with the real decoder's reason. The caller makes a 400 of it. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** `the object provided is unrecognized (must be of type Pod): …`, with the beginning of what was sent. */
export function unrecognized(kind: string, { message }: DecodeError, body: string): string {
  return `the object provided is unrecognized (must be of type ${kind}): ${message} (${beginningOf(body)})`;
}

const SHOWN = 30;

/** What looks like JSON is shown as it is, anything else as bytes. */
function beginningOf(body: string): string {
  if (body === '') return '<empty>';
  const bytes = Buffer.from(body);
  const more = bytes.length > SHOWN ? ' ...' : '';
  const head = bytes.subarray(0, SHOWN);
  return (/^\s*[{[]/.test(body) ? head.toString() : head.toString('hex')) + more;
}
