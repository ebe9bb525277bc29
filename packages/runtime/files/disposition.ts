/** `Content-Disposition: inline; filename=...`, quoted and encoded only where needed. e2b 3.5 */
const token = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

export function inlineDisposition(name: string): string {
  if (/[^\x20-\x7e]/.test(name)) return `inline; filename*=utf-8''${percent(name)}`;
  if (token.test(name)) return `inline; filename=${name}`;
  return `inline; filename="${name.replace(/["\\]/g, '\\$&')}"`;
}

function percent(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
