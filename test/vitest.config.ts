import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BUILT, builtInsteadOfSource } from './built.ts'
import { LongestFirst } from './sequence.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Tests that start processes, open sockets, take the heap's measure or wait for real time: more at
 * once than there are cores.
 */
const RUNS = ['chaos', 'e2e', 'fake-crew/server', 'hostile', 'host', 'run', 'study', 'verdicts']
const OF_RUNS = RUNS.map((room) => `test/${room}/**/*.test.ts`)

export default defineConfig({
  root,
  plugins: [builtInsteadOfSource(root)],
  resolve: {
    alias: [
      { find: /^crewload\/run$/, replacement: `${root}dist/src/run/index.js` },
      { find: /^crewload\/fake-crew$/, replacement: `${root}dist/fake-crew/index.js` },
      { find: /^crewload$/, replacement: `${root}dist/src/index.js` },
    ],
  },
  test: {
    server: { deps: { external: [BUILT] } },
    globalSetup: ['test/build.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    // Test files leave nothing behind in their process, which need not load the same modules again
    // for each of them: `isolate: false`.
    projects: [
      {
        extends: true,
        test: {
          name: 'runs',
          include: OF_RUNS,
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: OF_RUNS,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
