import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { systemClock } from '@sandbank/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openStore } from '../open.ts';
import type { Store } from '../store.ts';
import { restoreStore } from './backup.ts';
import { filesOf } from './files.ts';
import { prepareFolder } from './prepare.ts';
import { migrations, schemaOf } from './schema.ts';

// Each test waits for real syncs of a disk that others may be using.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function fill(store: Store, count: number, value = 'x'.repeat(2000)): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, i) => store.txn({ type: 'put', key: `/k/${i}`, value: `${i}${value}` })),
  );
}

async function filled(count = 200): Promise<void> {
  await using store = await openStore({ folder });
  await fill(store, count);
}

const refusal = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) });

describe('the lock', () => {
  test('a second open says who has it, in the same process and in another', async () => {
    await using store = await openStore({ folder });
    await fill(store, 1);
    const who = new RegExp(`in use by process ${process.pid} on ${hostname()} since 20\\d\\d-`);
    await expect(openStore({ folder })).rejects.toMatchObject(refusal('locked', who));
    expect(() => restoreStore(folder, 'any')).toThrow(expect.objectContaining(refusal('locked', who)));
    const other = `import { openStore } from ${JSON.stringify(new URL('../open.ts', import.meta.url).href)};
      await openStore({ folder: ${JSON.stringify(folder)} }).catch((error) => console.log(error.code, error.message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', other]);
    expect(stdout).toMatch(/^locked /);
    expect(stdout).toMatch(who);
    expect(await store.txn({ type: 'create', key: '/still', value: '' })).toMatchObject({ ok: true });
  });

  test('is free after close, and after an open that failed', async () => {
    await filled(1);
    await writeFile(join(folder, 'store.db'), '');
    await expect(openStore({ folder })).rejects.toMatchObject({ code: 'corrupt' });
    await rm(join(folder, 'store.db'));
    await filled(1);
  });
});

describe('a folder that cannot be used', () => {
  test('with files of somebody else', async () => {
    await writeFile(join(folder, 'thesis.txt'), 'mine');
    await expect(openStore({ folder })).rejects.toMatchObject(refusal('not-ours', /thesis\.txt.*empty folder/));
    expect(existsSync(join(folder, 'store.db'))).toBe(false);
  });

  test('with a database of another program', async () => {
    const other = new DatabaseSync(join(folder, 'store.db'));
    other.exec('CREATE TABLE t (x)');
    other.close();
    await expect(openStore({ folder })).rejects.toMatchObject(refusal('not-ours', /another program/));
  });

  test('of a newer version', async () => {
    await filled(1);
    const newer = new DatabaseSync(join(folder, 'store.db'));
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    await expect(openStore({ folder })).rejects.toMatchObject(refusal('newer-version', /schema 99.*newer/));
  });

  test('that is a file', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(openStore({ folder: join(folder, 'file') })).rejects.toMatchObject(refusal('io', /Cannot open/));
  });

  test('whose store has been removed while backups are there', async () => {
    {
      await using store = await openStore({ folder });
      await store.backup();
    }
    await rm(join(folder, 'store.db'));
    await expect(openStore({ folder })).rejects.toMatchObject(refusal('missing', /sandbank restore .*on-demand\.db/));
  });
});

describe('damage', () => {
  test.each([
    ['its first page', 0, 4096],
    ['a page in the middle', 10 * 16_384, 16_384],
    ['a few bytes inside a value', 10 * 16_384 + 8000, 8],
  ])('to %s is told, with the backup to restore', async (_, at, length) => {
    await filled();
    await expect(damagedOpen(at, length)).rejects.toMatchObject(
      refusal('corrupt', /There is no backup.*sandbank reset/),
    );
    await rm(folder, { recursive: true });
    {
      await using store = await openStore({ folder });
      await fill(store, 200);
      await store.backup();
    }
    await expect(damagedOpen(at, length)).rejects.toMatchObject(refusal('corrupt', /sandbank restore .*on-demand\.db/));
    const [backup] = await readdir(join(folder, 'backups'));
    const { revision } = restoreStore(folder, join(folder, 'backups', backup as string));
    await using restored = await openStore({ folder });
    expect(restored).toMatchObject({ revision, compacted: revision });
    expect(restored.count('/k/')).toBe(200);
  });

  test.each([0, 5000, 200_000])('of a file cut to %d bytes is told', async (length) => {
    await filled();
    await truncate(join(folder, 'store.db'), length);
    await expect(openStore({ folder })).rejects.toMatchObject({ code: 'corrupt' });
  });

  async function damagedOpen(at: number, length: number): Promise<Store> {
    const file = await open(join(folder, 'store.db'), 'r+');
    await file.write(Buffer.alloc(length, 0xa5), 0, length, at);
    await file.close();
    return openStore({ folder });
  }
});

describe('backup and restore', () => {
  test('a backup beside running writes is one instant of them', async () => {
    await using store = await openStore({ folder });
    let running = true;
    const writing = (async () => {
      for (let round = 0; running; round++) await fill(store, 20, `round ${round}`);
    })();
    await store.txn({ type: 'create', key: '/before', value: '' });
    const file = join(folder, 'mine', 'copy.db');
    expect(await store.backup(file)).toBe(file);
    running = false;
    await writing;
    await expect(store.backup(file)).rejects.toMatchObject({ code: 'exists' });

    const elsewhere = join(folder, 'elsewhere');
    restoreStore(elsewhere, file);
    await using copy = await openStore({ folder: elsewhere });
    expect(copy.get('/before')).toBeDefined();
    // All rows of a round are one commit or neighbours in order, so an instant shows no older round after a newer one.
    const rounds = copy.list('/k/').entries.toSorted((a, b) => a.revision - b.revision);
    const order = rounds.map((entry) => Number(entry.value.split('round ')[1]));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  test('the last three are kept', async () => {
    await using store = await openStore({ folder });
    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      await fill(store, 1);
      made.push(await store.backup());
    }
    const left = (await readdir(join(folder, 'backups'))).sort().map((name) => join(folder, 'backups', name));
    expect(left).toEqual(made.slice(-3));
  });

  test('after a restore no revision goes back, no old watch goes on, and the replaced store is kept', async () => {
    let file: string;
    let last: number;
    {
      await using store = await openStore({ folder });
      await fill(store, 3);
      file = await store.backup();
      await store.txn({ type: 'create', key: '/since', value: '' });
      last = store.revision;
    }
    restoreStore(folder, file);
    await using store = await openStore({ folder });
    expect(store.revision).toBeGreaterThan(last);
    expect(store.get('/since')).toBeUndefined();
    expect(store.count('/k/')).toBe(3);
    expect(() => store.watch('/', { after: last })).toThrow(expect.objectContaining({ code: 'compacted' }));
    const next = await store.txn({ type: 'create', key: '/new', value: '' });
    expect(next).toMatchObject({ revision: store.revision });
    const replaced = (await readdir(join(folder, 'backups'))).filter((name) => name.endsWith('-replaced'));
    expect(await readdir(join(folder, 'backups', replaced[0] as string))).toContain('store.db');
  });

  test('what is not an intact backup is refused, and the store stays', async () => {
    await filled(3);
    await writeFile(join(folder, 'text'), 'not a database, but long enough to be read as one'.repeat(100));
    await mkdir(join(folder, 'sub'));
    for (const bad of ['text', 'absent', 'sub']) {
      expect(() => restoreStore(folder, join(folder, bad))).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/not-a-backup|io/) }),
      );
    }
    await using store = await openStore({ folder });
    expect(store.count('/k/')).toBe(3);
  });
});

describe('migration', () => {
  const steps = [...migrations, (db: DatabaseSync) => db.exec('ALTER TABLE log ADD COLUMN extra TEXT')];
  const files = () => filesOf(folder);
  const version = (file: string) => {
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      return schemaOf(db).version;
    } finally {
      db.close();
    }
  };

  test('makes a backup first, then goes on', async () => {
    await filled(3);
    await prepareFolder(files(), systemClock, steps);
    expect(version(files().database)).toBe(2);
    const [backup] = await readdir(files().backups);
    expect(backup).toMatch(/-before-schema-2\.db$/);
    expect(version(join(files().backups, backup as string))).toBe(1);
    await prepareFolder(files(), systemClock, steps);
    expect(await readdir(files().backups)).toHaveLength(1);
  });

  test('one that fails leaves the store as it was', async () => {
    await filled(3);
    const failing = [...steps, (db: DatabaseSync) => db.exec('nonsense')];
    await expect(prepareFolder(files(), systemClock, failing)).rejects.toThrow();
    await using store = await openStore({ folder });
    expect(store.count('/k/')).toBe(3);
  });
});
