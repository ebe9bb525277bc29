/** Which encoding an `Accept-Encoding` header asks for. Supported are gzip and identity. e2b 3.5 */
export interface Acceptance {
  readonly choice: 'gzip' | 'identity' | 'none';
  readonly identityRefused: boolean;
}

export function negotiate(header: string | undefined): Acceptance {
  const listed = parse(header ?? '');
  const wildcard = listed.find(({ name }) => name === '*');
  const identity = listed.find(({ name }) => name === 'identity');
  const identityRefused = identity === undefined ? wildcard?.quality === 0 : identity.quality === 0;
  const ordered = listed.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { name } of ordered) {
    if (name === 'gzip') return { choice: 'gzip', identityRefused };
    if (name === 'identity') return { choice: 'identity', identityRefused };
    if (name === '*') return { choice: identityRefused ? 'gzip' : 'identity', identityRefused };
  }
  return { choice: identityRefused ? 'none' : 'identity', identityRefused };
}

function parse(header: string): { name: string; quality: number }[] {
  return header
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';').map((each) => each.trim());
      const quality = parameters.find((each) => each.startsWith('q='));
      const value = quality === undefined ? 1 : Number(quality.slice(2));
      return { name, quality: Number.isNaN(value) ? 0 : value };
    });
}
