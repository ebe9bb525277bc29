/** Short, stable fingerprints of templates, in the alphabet that Kubernetes uses for generated names. */

/** No vowels and nothing that reads like another letter, so that no word appears by chance. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * The revision of a template: equal for equal content, whatever the order of keys, and valid as part of a name
 * and as a label value. `collisions` gives another one for the same content, for the rare day when two contents meet.
 */
export function templateHash(template: unknown, collisions?: number): string {
  const text = stableJson(template);
  return safeEncode(String(fnv1a32(collisions === undefined ? text : `${text}#${collisions}`)));
}

/** JSON with sorted keys; absent and undefined are the same. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** FNV-1a of the UTF-8 bytes, 32 bits. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}

/** Each character moved into the safe alphabet; the length stays. */
export function safeEncode(text: string): string {
  return [...Buffer.from(text)].map((byte) => alphabet[byte % alphabet.length]).join('');
}

/** `length` letters of the safe alphabet. `random` gives a whole number below its argument. */
export function randomSuffix(length: number, random: (below: number) => number): string {
  return Array.from({ length }, () => alphabet[random(alphabet.length)]).join('');
}
