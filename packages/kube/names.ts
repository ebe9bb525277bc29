import { randomInt } from 'node:crypto';
import { KubeError } from './errors.ts';
import { fnv1a32, randomSuffix, safeEncode } from './revision.ts';

/** The longest DNS label: what pods' host names, services and label values must fit in. */
export const maxLabelLength = 63;
/** The longest DNS subdomain: what most object names must fit in. */
export const maxNameLength = 253;

const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const suffixLength = 5;

/** RFC 1123 label: names of pods' hosts, namespaces, containers. */
export function isDnsLabel(name: string): boolean {
  return name.length <= maxLabelLength && label.test(name);
}

/** RFC 1123 subdomain: names of nearly all objects. Labels joined by dots, each of any length. */
export function isDnsSubdomain(name: string): boolean {
  return name.length <= maxNameLength && name.split('.').every((part) => label.test(part));
}

/** Throws with what is wrong and how a right one looks. */
export function checkName(name: string, form: 'label' | 'subdomain' = 'subdomain'): void {
  if (form === 'label' ? isDnsLabel(name) : isDnsSubdomain(name)) return;
  const max = form === 'label' ? maxLabelLength : maxNameLength;
  const why = name.length > max ? `it is longer than ${max} characters` : `it must be a DNS ${form}`;
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
  throw new KubeError('invalid', `${shown} is no valid name: ${why} (lower-case letters, digits and -, as in web-1)`);
}

/** The name that a server makes of a generateName: five random letters, the prefix cut so that a label holds both. */
export function generateName(prefix: string, random: (below: number) => number = randomInt): string {
  return prefix.slice(0, maxLabelLength - suffixLength) + randomSuffix(suffixLength, random);
}

/**
 * A name that fits: as it is when it does, else its beginning and a hash of the whole, so that two long names
 * that differ only in their ends stay different, and one name always gets the same short form.
 */
export function shortenName(name: string, max: number = maxLabelLength): string {
  if (name.length <= max) return name;
  const hash = safeEncode(String(fnv1a32(name)));
  const start = name.slice(0, max - hash.length - 1).replace(/[-.]+$/, '');
  return `${start}-${hash}`;
}
