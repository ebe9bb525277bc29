import { defineConfig } from 'vitest/config';

/** On real processes, in CI: a test that needs its second try is printed as such, and is a bug to look for. */
const tries = process.env['CI'] === 'true' ? { retry: 1 } : {};

/**
 * Suites by what they need. `npm test` (scripts/test.ts) runs those whose needs are met and says which are not.
 *   unit      nothing
 *   real      a real kube-apiserver (one shared per run)           *.real.test.ts
 *   node      root, containerd and the real control plane          test/real-node
 *   runtime   root: our daemon from outside                        test/runtime, test/conformance/{e2b,envd}
 *   packages  the npm registry: packs, installs and imports        test/packages
 */
export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            '**/dist/**',
            '**/*.real.test.ts',
            'test/real-node/**',
            'test/control-plane/**',
            'test/conformance/{e2b,envd}/**',
            'test/runtime/**',
            'test/packages/**',
          ],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'real',
          ...tries,
          include: ['packages/**/*.real.test.ts', 'test/**/*.real.test.ts', 'test/control-plane/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', 'test/real-node/**'],
          globalSetup: ['test/control-plane/vitest.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'node',
          ...tries,
          include: ['test/real-node/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'runtime',
          ...tries,
          include: ['test/conformance/{e2b,envd}/**/*.test.ts', 'test/runtime/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: { name: 'packages', include: ['test/packages/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 240_000 },
      },
    ],
  },
});
