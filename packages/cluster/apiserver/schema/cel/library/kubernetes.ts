/** What Kubernetes adds for its own subjects: quantities, addresses, URLs, versions, names. */
import type { Environment } from '@marcbachmann/cel-js';
import { formatCheck, isRequestUri } from '../../formats.ts';
import { quote } from '../../go-format.ts';
import { Address, Range } from '../address.ts';
import { CelProblem } from '../problem.ts';
import { Quantity } from '../quantity.ts';
import { SemanticVersion } from '../semantic-version.ts';
import { namedFormats } from './named-formats.ts';
import { maybe } from './optional-values.ts';

export function registerKubernetes(env: Environment): void {
  registerQuantities(env);
  registerAddresses(env);
  registerUrls(env);
  registerVersions(env);
  registerFormats(env);
}

function registerQuantities(env: Environment): void {
  env.registerType('Quantity', Quantity);
  env.registerOperator('Quantity == Quantity', (a: Quantity, b: Quantity) => a.nanos === b.nanos);
  env.registerFunction('isQuantity(string): bool', (text: string) => Quantity.parse(text) !== undefined);
  env.registerFunction('quantity(string): Quantity', (text: string) => {
    const parsed = Quantity.parse(text);
    if (!parsed)
      throw new CelProblem(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      );
    return parsed;
  });
  env.registerFunction('Quantity.isGreaterThan(Quantity): bool', (a: Quantity, b: Quantity) => a.compare(b) > 0);
  env.registerFunction('Quantity.isLessThan(Quantity): bool', (a: Quantity, b: Quantity) => a.compare(b) < 0);
  env.registerFunction('Quantity.compareTo(Quantity): int', (a: Quantity, b: Quantity) => BigInt(a.compare(b)));
  env.registerFunction('Quantity.isInteger(): bool', (a: Quantity) => a.isInteger);
  env.registerFunction('Quantity.asInteger(): int', (a: Quantity) => {
    if (!a.isInteger) throw new CelProblem('cannot convert value to integer');
    return a.integer;
  });
  env.registerFunction('Quantity.asApproximateFloat(): double', (a: Quantity) => a.float);
  env.registerFunction('sign(Quantity): int', (a: Quantity) => BigInt(a.compare(new Quantity(0n))));
  const whole = (value: bigint) => new Quantity(value * 1_000_000_000n);
  const add = (a: Quantity, b: Quantity) => new Quantity(a.nanos + b.nanos);
  const sub = (a: Quantity, b: Quantity) => new Quantity(a.nanos - b.nanos);
  env.registerFunction('Quantity.add(Quantity): Quantity', add);
  env.registerFunction('Quantity.add(int): Quantity', (a: Quantity, b: bigint) => add(a, whole(b)));
  env.registerFunction('Quantity.sub(Quantity): Quantity', sub);
  env.registerFunction('Quantity.sub(int): Quantity', (a: Quantity, b: bigint) => sub(a, whole(b)));
}

function parseAddress(text: string): Address {
  const address = Address.parse(text);
  if (address) return address;
  const why = `ParseAddr(${quote(text)}): unable to parse IP`;
  throw new CelProblem(`IP Address ${quote(text)} parse error during conversion from string: ${why}`);
}

function parseRange(text: string): Range {
  const range = Range.parse(text);
  if (range) return range;
  const why = `netip.ParsePrefix(${quote(text)}): ${text.includes('/') ? 'ParseAddr: unable to parse IP' : "no '/'"}`;
  throw new CelProblem(`network address parse error during conversion from string: ${why}`);
}

function registerAddresses(env: Environment): void {
  env.registerType('IP', Address).registerType('CIDR', Range);
  env.registerOperator('IP == IP', (a: Address, b: Address) => String(a) === String(b));
  env.registerOperator('CIDR == CIDR', (a: Range, b: Range) => String(a) === String(b));
  env.registerFunction('isIP(string): bool', (text: string) => Address.parse(text) !== undefined);
  env.registerFunction('ip(string): IP', parseAddress);
  env.registerFunction('IP.family(): int', (a: Address) => BigInt(a.family));
  env.registerFunction('IP.isUnspecified(): bool', (a: Address) => a.isUnspecified);
  env.registerFunction('IP.isLoopback(): bool', (a: Address) => a.isLoopback);
  env.registerFunction('IP.isLinkLocalUnicast(): bool', (a: Address) => a.isLinkLocalUnicast);
  env.registerFunction('IP.isLinkLocalMulticast(): bool', (a: Address) => a.isLinkLocalMulticast);
  env.registerFunction('IP.isGlobalUnicast(): bool', (a: Address) => a.isGlobalUnicast);
  env.registerFunction('string(IP): string', String);
  class IPNamespace {}
  env.registerType('IPNamespace', IPNamespace).registerConstant('ip', 'IPNamespace', new IPNamespace());
  env.registerFunction(
    'IPNamespace.isCanonical(string): bool',
    (_: unknown, text: string) => String(parseAddress(text)) === text,
  );

  env.registerFunction('isCIDR(string): bool', (text: string) => Range.parse(text) !== undefined);
  env.registerFunction('cidr(string): CIDR', parseRange);
  env.registerFunction('CIDR.ip(): IP', (a: Range) => a.address);
  env.registerFunction('CIDR.prefixLength(): int', (a: Range) => BigInt(a.prefix));
  env.registerFunction('CIDR.masked(): CIDR', (a: Range) => a.masked);
  env.registerFunction('CIDR.containsIP(IP): bool', (a: Range, b: Address) => a.contains(b));
  env.registerFunction('CIDR.containsIP(string): bool', (a: Range, b: string) => a.contains(parseAddress(b)));
  const containsRange = (a: Range, b: Range) => a.contains(b.address) && a.prefix <= b.prefix;
  env.registerFunction('CIDR.containsCIDR(CIDR): bool', containsRange);
  env.registerFunction('CIDR.containsCIDR(string): bool', (a: Range, b: string) => containsRange(a, parseRange(b)));
  env.registerFunction('string(CIDR): string', String);
}

class Url {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  constructor(text: string) {
    const [, scheme = '', host = '', path = '', query = ''] =
      /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:[^/?#@]*@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text) ?? [];
    this.scheme = scheme.toLowerCase();
    this.host = host;
    this.path = path;
    this.query = query;
  }
}

function registerUrls(env: Environment): void {
  env.registerType('URL', Url);
  env.registerOperator('URL == URL', (a: Url, b: Url) => JSON.stringify(a) === JSON.stringify(b));
  env.registerFunction('isURL(string): bool', isRequestUri);
  env.registerFunction('url(string): URL', (text: string) => {
    if (isRequestUri(text)) return new Url(text);
    const why = text === '' ? 'empty url' : 'invalid URI for request';
    throw new CelProblem(`URL parse error during conversion from string: parse ${quote(text)}: ${why}`);
  });
  env.registerFunction('URL.getScheme(): string', (url: Url) => url.scheme);
  env.registerFunction('URL.getHost(): string', (url: Url) => url.host);
  env.registerFunction('URL.getHostname(): string', (url: Url) =>
    url.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1'),
  );
  env.registerFunction('URL.getPort(): string', (url: Url) => /:(\d*)$/.exec(url.host)?.[1] ?? '');
  env.registerFunction('URL.getEscapedPath(): string', (url: Url) =>
    url.path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@%!'()*]/gu, (char) => encodeURIComponent(char)),
  );
  env.registerFunction('URL.getQuery(): map<string, list<string>>', (url: Url) => {
    const query = new Map<string, string[]>();
    for (const [key, value] of new URLSearchParams(url.query)) query.set(key, [...(query.get(key) ?? []), value]);
    return query;
  });
}

function registerVersions(env: Environment): void {
  const parse = (text: string, isLenient = false) =>
    SemanticVersion.parse(isLenient ? SemanticVersion.normalize(text) : text);
  const strictly = (text: string, isLenient = false) => {
    const version = parse(text, isLenient);
    if (!version) throw new CelProblem('No Major.Minor.Patch elements found');
    return version;
  };
  env.registerType('Semver', SemanticVersion);
  env.registerOperator('Semver == Semver', (a: SemanticVersion, b: SemanticVersion) => a.compare(b) === 0);
  env.registerFunction('isSemver(string): bool', (text: string) => parse(text) !== undefined);
  env.registerFunction(
    'isSemver(string, bool): bool',
    (text: string, lenient: boolean) => parse(text, lenient) !== undefined,
  );
  env.registerFunction('semver(string): Semver', (text: string) => strictly(text));
  env.registerFunction('semver(string, bool): Semver', strictly);
  for (const [index, part] of ['major', 'minor', 'patch'].entries())
    env.registerFunction(`Semver.${part}(): int`, (version: SemanticVersion) => version.core[index]);
  env.registerFunction('Semver.compareTo(Semver): int', (a: SemanticVersion, b: SemanticVersion) =>
    BigInt(a.compare(b)),
  );
  env.registerFunction('Semver.isLessThan(Semver): bool', (a: SemanticVersion, b: SemanticVersion) => a.compare(b) < 0);
  env.registerFunction(
    'Semver.isGreaterThan(Semver): bool',
    (a: SemanticVersion, b: SemanticVersion) => a.compare(b) > 0,
  );
}

class NamedFormat {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

function registerFormats(env: Environment): void {
  class FormatNamespace {}
  env.registerType('NamedFormat', NamedFormat).registerType('FormatNamespace', FormatNamespace);
  env.registerConstant('format', 'FormatNamespace', new FormatNamespace());
  for (const name of Object.keys(namedFormats))
    env.registerFunction(`FormatNamespace.${name}(): NamedFormat`, () => new NamedFormat(name));
  env.registerFunction('FormatNamespace.named(string): optional<NamedFormat>', (_: unknown, name: string) =>
    maybe(Object.hasOwn(namedFormats, name) ? new NamedFormat(name) : undefined),
  );
  env.registerFunction(
    'NamedFormat.validate(string): optional<list<string>>',
    ({ name }: NamedFormat, text: string) => {
      const problems = namedFormats[name]?.(text, formatCheck) ?? [];
      return maybe(problems.length === 0 ? undefined : problems);
    },
  );
}
