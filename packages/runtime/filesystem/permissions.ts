/** Mode bits as text, the way Go's FileMode.String writes them. e2b 3.4 */
import { constants } from 'node:fs';

const setuid = 0o4000;
const setgid = 0o2000;
const sticky = 0o1000;

export function permissionText(mode: number): string {
  let letters = '';
  const type = mode & constants.S_IFMT;
  if (type === constants.S_IFDIR) letters += 'd';
  if (type === constants.S_IFLNK) letters += 'L';
  if (type === constants.S_IFCHR || type === constants.S_IFBLK) letters += 'D';
  if (type === constants.S_IFIFO) letters += 'p';
  if (type === constants.S_IFSOCK) letters += 'S';
  if ((mode & setuid) !== 0) letters += 'u';
  if ((mode & setgid) !== 0) letters += 'g';
  if (type === constants.S_IFCHR) letters += 'c';
  if ((mode & sticky) !== 0) letters += 't';
  if (letters === '') letters = '-';
  const bits = 'rwxrwxrwx';
  for (let at = 0; at < 9; at += 1) letters += (mode & (1 << (8 - at))) === 0 ? '-' : bits[at];
  return letters;
}
