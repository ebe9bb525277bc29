/**
 * What we tell SDKs that we are. They gate features on it (e2b 1.12): metadata needs 0.6.2, entries in events 0.6.3, network
 * mounts 0.6.4. Without the helper there is no xattr, so the version stops below them.
 */
export const fullVersion = '0.6.13';
export const reducedVersion = '0.6.1';

export function envdVersion(helper: boolean): string {
  return helper ? fullVersion : reducedVersion;
}
