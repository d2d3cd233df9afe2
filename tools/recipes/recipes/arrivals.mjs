/** An arrival process in which arrivals come in pairs. */
import { equal, match } from 'node:assert/strict'

export const arrivals = {
  headings: ['An arrival process'],
  name: 'pairs',
  files: {},
  lines: [
    {
      path: 'src/scenario/arrivals/processes.ts',
      before: 'export type ArrivalProcess =',
      after: true,
      text: " { kind: 'pairs' } |",
    },
    {
      path: 'src/scenario/arrivals/processes.ts',
      before: 'export type ProcessOption =\n',
      after: true,
      text: "  | 'pairs'\n",
    },
    {
      path: 'src/scenario/arrivals/processes.ts',
      before: '/** Every process, by its kind',
      text: `/** Points 2i and 2i + 1 lie at 2 (u + i), for one u from 0 to 1. */
const pairs: PointProcess<unknown> = {
  points: (_, random) => {
    const start = random.next()
    let point = 0
    return () => 2 * (start + Math.floor(point++ / 2))
  },
}

`,
    },
    {
      path: 'src/scenario/arrivals/processes.ts',
      before: '{ uniform, poisson, gamma',
      after: true,
      text: ', pairs',
    },
    {
      path: 'src/scenario/arrivals/processes.schema.ts',
      before: '  gamma: {\n',
      text: `  pairs: {
    word: 'in pairs',
    description: 'Two at once, evenly spaced.',
    example: 'pairs',
    schema: null,
    planned: z.object({ kind: z.literal('pairs') }),
  },
`,
    },
    {
      path: 'test/scenario/arrivals/process.test.ts',
      before: "describe('gamma', ",
      text: `describe('pairs', () => {
  test('count within one of the mean, over an even length', () => {
    const seen = counts(2_000, 5, { kind: 'pairs' })
    expect([...new Set(seen)].sort()).toEqual([4, 6])
    expect(variance(seen)).toBeCloseTo(1, 1)
  })
})

`,
    },
  ],
  elsewhere: 7,
  tests: ['pairs'],

  async prove({ cli, read, records, scenario }) {
    const file = scenario({ arrivals: { rate: '1/s', for: '60s', process: 'pairs' } })
    await cli('run', file, '--profile', 'fast', '--engine', 'virtual', '--out', 'runs-arrivals')
    const times = records('runs-arrivals').map(({ intendedMicros }) => intendedMicros)
    equal(times.length, 60)
    equal(new Set(times).size, 30)
    match(read('schemas/scenario.schema.json'), /"pairs"/)
    match(read('docs/reference.md'), /`pairs`/)
  },
}
