/** The five-minute tour of README.md, line by line, as a newcomer types it. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, need, startControlPlane } from '../control-plane/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface TourLine {
  readonly command: string;
  readonly exitCode: number;
}

function tourLines(readme: string): TourLine[] {
  const blocks = readme.matchAll(/```sh tour(?: exit=(\d+))?\n([\s\S]*?)```/g);
  return [...blocks].flatMap(([, exit, body = '']) =>
    body
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((command) => ({ command, exitCode: Number(exit ?? 0) })),
  );
}

const lines = tourLines(readFileSync(`${root}/README.md`, 'utf8'));

describe('the tour', () => {
  let cluster: ControlPlane;
  beforeAll(async () => {
    cluster = await startControlPlane({});
  });
  afterAll(async () => cluster?.[Symbol.asyncDispose]());

  test('has lines', () => expect(lines.length).toBeGreaterThan(5));

  test.each(lines)('$command', async ({ command, exitCode }) => {
    const path = `${dirname(need('kubectl'))}:${root}/node_modules/.bin:${process.env['PATH']}`;
    const result = await new Promise<{ code: number; output: string }>((done) => {
      execFile(
        'bash',
        ['-c', command],
        { cwd: root, env: { ...process.env, PATH: path, KUBECONFIG: cluster.adminKubeconfig } },
        (error, stdout, stderr) => done({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` }),
      );
    });
    expect(result, result.output).toMatchObject({ code: exitCode });
  });
});
