/** Which cluster addresses and node ports are free. What is taken stands in the services themselves; nothing else is stored. */
import type { JsonObject } from '../../schema/structural.ts';
import { metadataAt, numberAt, objectsAt, specAt, stringsAt } from '../fields.ts';
import type { Lookup } from '../lookup.ts';

export interface ServiceAddresses {
  /** A free address. Undefined when there is none left. */
  allocate(): string | undefined;
  /** Takes this one, unless somebody has it. */
  claim(address: string): 'ok' | 'taken' | 'outside';
  allocateNodePort(): number | undefined;
  claimNodePort(port: number): 'ok' | 'taken' | 'outside';
}

export interface AddressOptions {
  readonly lookup: Lookup;
  readonly random: () => number;
  readonly now: () => Date;
  /** The first address and how many; 10.96.0.0/16 by default. */
  readonly base?: string;
  readonly size?: number;
}

const SERVICES = { group: '', plural: 'services', namespaced: true } as const;
const NODE_PORTS = { first: 30_000, last: 32_767 } as const;
/** How long an address is kept for a create that is on its way to the store. */
const RESERVED_MS = 60_000;

export function serviceAddresses({
  lookup,
  random,
  now,
  base = '10.96.0.0',
  size = 65_536,
}: AddressOptions): ServiceAddresses {
  const first = toNumber(base);
  const reserved = new Map<string, number>();

  const isReserved = (what: string) => {
    const until = reserved.get(what);
    if (until === undefined) return false;
    if (until > now().getTime()) return true;
    reserved.delete(what);
    return false;
  };
  const reserve = (what: string) => {
    reserved.set(what, now().getTime() + RESERVED_MS);
  };
  const services = () => lookup.list(SERVICES);
  const usedAddresses = () => new Set(services().flatMap(addressesOf));
  const usedPorts = () => new Set(services().flatMap(nodePortsOf));

  function pick<T>(count: number, at: (index: number) => T, isFree: (one: T) => boolean): T | undefined {
    const start = Math.floor(random() * count);
    for (let step = 0; step < count; step++) {
      const candidate = at((start + step) % count);
      if (isFree(candidate)) return candidate;
    }
    return undefined;
  }

  return {
    allocate() {
      const used = usedAddresses();
      // The network's own address and the API server's stay free.
      const found = pick(
        size - 3,
        (index) => toText(first + 2 + index),
        (address) => !used.has(address) && !isReserved(address),
      );
      if (found !== undefined) reserve(found);
      return found;
    },
    claim(address) {
      const offset = toNumber(address) - first;
      if (!(offset > 0 && offset < size - 1)) return 'outside';
      if (usedAddresses().has(address) || isReserved(address)) return 'taken';
      reserve(address);
      return 'ok';
    },
    allocateNodePort() {
      const used = usedPorts();
      const found = pick(
        NODE_PORTS.last - NODE_PORTS.first + 1,
        (index) => NODE_PORTS.first + index,
        (port) => !used.has(port) && !isReserved(`:${port}`),
      );
      if (found !== undefined) reserve(`:${found}`);
      return found;
    },
    claimNodePort(port) {
      if (port < NODE_PORTS.first || port > NODE_PORTS.last) return 'outside';
      if (usedPorts().has(port) || isReserved(`:${port}`)) return 'taken';
      reserve(`:${port}`);
      return 'ok';
    },
  };
}

const addressesOf = (service: JsonObject): string[] =>
  stringsAt(specAt(service), 'clusterIPs').filter(
    (address) => address !== 'None' && metadataAt(service)['name'] !== undefined,
  );
const nodePortsOf = (service: JsonObject): number[] =>
  objectsAt(specAt(service), 'ports').flatMap((port) => numberAt(port, 'nodePort') ?? []);

function toNumber(address: string): number {
  const parts = address.split('.').map(Number);
  return parts.length === 4 ? parts.reduce((sum, part) => sum * 256 + part, 0) : Number.NaN;
}

const toText = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
