import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { areExperimentsRun, EXPERIMENTS } from './experiments.ts'
import { BUILT, builtInsteadOfSource } from './built.ts'
import { LongestFirst } from './sequence.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export default defineConfig({
  root,
  plugins: [builtInsteadOfSource(root)],
  resolve: {
    alias: [
      { find: /^crewload\/run$/, replacement: `${root}dist/src/run/index.js` },
      { find: /^crewload\/fake-crew$/, replacement: `${root}dist/fake-crew/index.js` },
      { find: /^crewload\/vitest$/, replacement: `${root}dist/fake-crew/assertions/vitest.js` },
      { find: /^crewload$/, replacement: `${root}dist/src/index.js` },
    ],
  },
  test: {
    server: { deps: { external: [BUILT] } },
    globalSetup: ['test/build.ts', 'test/support/program/pool.ts', 'test/support/samples.ts'],
    // A test that takes so long hangs: a busy machine must not be taken for one that does.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    sequence: { sequencer: LongestFirst },
    // Test files leave nothing behind in their process, which need not load the same modules again
    // for each of them.
    isolate: false,
    // More than the two cores of the smallest machine, because many tests wait; fewer with the
    // experiments, which do not.
    maxWorkers: areExperimentsRun ? 3 : 6,
    include: ['test/**/*.test.ts', ...EXPERIMENTS],
    // As the command line sets it.
    execArgv: ['--no-allocation-site-pretenuring'],
  },
})
