/** A contract rule: no execution has a million tasks. */
import { deepEqual, equal, match } from 'node:assert/strict'

export const rule = {
  headings: ['A contract rule'],
  name: 'total-tasks-believable',
  files: {},
  lines: [
    {
      path: 'src/crew/contract/progress.ts',
      before: "  {\n    name: 'progress-in-range',",
      text: `  {
    name: 'total-tasks-believable',
    phases: ['running'],
    basis: 'assumed',
    source: 'No crew has so many',
    requires: 'The total of the tasks is below a million',
    broken: ({ observed }) =>
      (observed.totalTasks ?? 0) < 1_000_000 ? undefined : counters(observed),
  },
`,
    },
    {
      path: 'test/crew/contract.test.ts',
      before: "  ['progress-in-range', [running(3, 2)]],\n",
      text: "  ['total-tasks-believable', [running(1, 1_000_000)]],\n",
    },
  ],
  elsewhere: 0,
  tests: ['total-tasks-believable', 'every rule has a row'],

  async prove({ cli, load, read }) {
    const { stdout } = await cli('schema', 'contract')
    equal(
      JSON.parse(stdout).some(({ name }) => name === 'total-tasks-believable'),
      true,
    )
    const { run } = await load('src/run/index.ts')
    const body = JSON.stringify({
      status: 'running',
      current_task: 'all',
      progress: { completed_tasks: 0, total_tasks: 2_000_000 },
    })
    const faults = `{ status: { code: 200, body: '${body}' }, operations: [status], first: 1 }`
    const { document } = await run('smoke', {
      profile: 'fast',
      engine: 'virtual',
      out: false,
      faults,
    })
    deepEqual(
      document.contract.rules.map((broken) => broken.rule).includes('total-tasks-believable'),
      true,
    )
    match(read('docs/reference.md'), /`total-tasks-believable`/)
  },
}
