/** Versions by semver.org, 2.0.0. */
const CORE = '(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)';
const PRERELEASE =
  '(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?';
const PATTERN = new RegExp(`^${CORE}${PRERELEASE}(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$`);

export class SemanticVersion {
  readonly core: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];
  constructor(core: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    this.core = core;
    this.prerelease = prerelease;
  }

  static parse(text: string): SemanticVersion | undefined {
    const match = PATTERN.exec(text);
    if (!match || text.length > 256) return undefined;
    const [, major = '0', minor = '0', patch = '0', prerelease] = match;
    return new SemanticVersion([BigInt(major), BigInt(minor), BigInt(patch)], prerelease?.split('.') ?? []);
  }

  /** Forgives a leading `v`, leading zeros and missing parts. */
  static normalize(text: string): string {
    const [, core = '', rest = ''] = /^([^-+]*)(.*)$/s.exec(text.replace(/^v/, '')) ?? [];
    const parts = core.split('.').map((part) => (/^\d+$/.test(part) ? part.replace(/^0+(?=\d)/, '') : part));
    while (parts.length < 3) parts.push('0');
    return parts.join('.') + rest;
  }

  compare(other: SemanticVersion): -1 | 0 | 1 {
    for (const [index, part] of this.core.entries()) {
      const theirs = other.core[index] ?? 0n;
      if (part !== theirs) return part < theirs ? -1 : 1;
    }
    return comparePrereleases(this.prerelease, other.prerelease);
  }
}

/** A release comes after its prereleases; numbers come before words. */
function comparePrereleases(mine: readonly string[], theirs: readonly string[]): -1 | 0 | 1 {
  if (mine.length === 0 || theirs.length === 0) return Math.sign(theirs.length - mine.length) as -1 | 0 | 1;
  for (const [index, part] of mine.entries()) {
    const other = theirs[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    const [isNumber, otherIsNumber] = [/^\d+$/.test(part), /^\d+$/.test(other)];
    if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
    return (isNumber ? BigInt(part) < BigInt(other) : part < other) ? -1 : 1;
  }
  return mine.length < theirs.length ? -1 : 0;
}
