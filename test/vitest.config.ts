import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
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
  resolve: {
    alias: [
      { find: /^crewload\/run$/, replacement: `${root}src/run/index.ts` },
      { find: /^crewload\/fake-crew$/, replacement: `${root}fake-crew/index.ts` },
      { find: /^crewload$/, replacement: `${root}src/index.ts` },
    ],
  },
  test: {
    globalSetup: ['test/build.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: { name: 'runs', include: OF_RUNS, maxWorkers: 4, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        // These leave nothing behind in their process, which need not load the same modules again
        // for each file.
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
