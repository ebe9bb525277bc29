/**
 * Linux users and groups, read from /etc/passwd and /etc/group of the image. Node has no getpwnam, and a lookup through libc
 * would need the image's libraries. The files are read again when their identity or time changes.
 */
import { readFileSync, statSync } from 'node:fs';

export interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  /** Supplementary groups, the primary one included. */
  readonly groups: readonly number[];
}

/** A user that was removed or moved may still be seen for this long. */
const freshMs = 50;

interface Cached<T> {
  readonly key: string;
  readonly value: T;
}

export class UserDatabase {
  readonly #passwd: string;
  readonly #group: string;
  #users: Cached<{ byName: Map<string, Omit<User, 'groups'>>; names: Map<number, string> }> | undefined;
  #groups: Cached<{ names: Map<number, string>; members: Map<string, number[]> }> | undefined;

  #lookedAt = Number.NEGATIVE_INFINITY;
  #keys = { passwd: '', group: '' };

  constructor(passwd = '/etc/passwd', group = '/etc/group') {
    this.#passwd = passwd;
    this.#group = group;
  }

  find(name: string): User | undefined {
    // Files are looked at again after a moment, and at once for a name that is not known.
    this.#look(false);
    let user = this.#loadUsers().byName.get(name);
    if (user === undefined && this.#look(true)) user = this.#loadUsers().byName.get(name);
    // An image without /etc/passwd still has the user that the runtime itself is.
    if (user === undefined) return name === 'root' ? { ...rootOnly, groups: [0] } : undefined;
    const extra = this.#loadGroups().members.get(name) ?? [];
    return { ...user, groups: [user.gid, ...extra.filter((gid) => gid !== user.gid)] };
  }

  /** The name of a uid, or its number as text. e2b 3.4 */
  userName(uid: number): string {
    this.#look(false);
    return this.#loadUsers().names.get(uid) ?? (uid === 0 ? 'root' : String(uid));
  }

  groupName(gid: number): string {
    this.#look(false);
    return this.#loadGroups().names.get(gid) ?? (gid === 0 ? 'root' : String(gid));
  }

  /** True if the files were looked at now. */
  #look(now: boolean): boolean {
    const time = performance.now();
    if (!now && time - this.#lookedAt < freshMs) return false;
    this.#lookedAt = time;
    this.#keys = { passwd: fileKey(this.#passwd), group: fileKey(this.#group) };
    return true;
  }

  #loadUsers() {
    const key = this.#keys.passwd;
    if (this.#users?.key !== key) {
      const byName = new Map<string, Omit<User, 'groups'>>();
      const names = new Map<number, string>();
      for (const [name = '', , uidText = '', gidText = '', , home = ''] of records(this.#passwd)) {
        const uid = Number.parseInt(uidText, 10);
        const gid = Number.parseInt(gidText, 10);
        if (name === '' || Number.isNaN(uid) || Number.isNaN(gid) || byName.has(name)) continue;
        byName.set(name, { name, uid, gid, home: home === '' ? '/' : home });
        if (!names.has(uid)) names.set(uid, name);
      }
      this.#users = { key, value: { byName, names } };
    }
    return this.#users.value;
  }

  #loadGroups() {
    const key = this.#keys.group;
    if (this.#groups?.key !== key) {
      const names = new Map<number, string>();
      const members = new Map<string, number[]>();
      for (const [name = '', , gidText = '', list = ''] of records(this.#group)) {
        const gid = Number.parseInt(gidText, 10);
        if (name === '' || Number.isNaN(gid)) continue;
        if (!names.has(gid)) names.set(gid, name);
        for (const member of list.split(',')) {
          if (member === '') continue;
          const known = members.get(member);
          if (known === undefined) members.set(member, [gid]);
          else known.push(gid);
        }
      }
      this.#groups = { key, value: { names, members } };
    }
    return this.#groups.value;
  }
}

const rootOnly = { name: 'root', uid: 0, gid: 0, home: '/' };

function fileKey(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'missing' : `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
}

function records(path: string): string[][] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').map((line) => line.split(':'));
}
