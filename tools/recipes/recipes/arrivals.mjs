/** An arrival process in which arrivals come in pairs. */
import { equal, match } from 'node:assert/strict'

export const arrivals = {
  headings: ['An arrival process'],
  name: 'pairs',
  files: {
    'src/scenario/arrivals/processes/pairs.ts': `/** \`'pairs'\`: two at once, at even distances from a random start. */
import type { PointProcess } from './process.ts'

export interface PairedArrivals {
  kind: 'pairs'
}

/** Points 2i and 2i + 1 lie at 2 (u + i), for one u from 0 to 1. */
export const pairs: PointProcess<PairedArrivals, 'pairs'> = {
  points: (_, random) => {
    const start = random.next()
    let point = 0
    return () => 2 * (start + Math.floor(point++ / 2))
  },
}
`,
    'src/scenario/arrivals/processes/pairs.schema.ts': `/** \`pairs\` as an author writes it. */
import { z } from 'zod'
import type { PairedArrivals } from './pairs.ts'
import type { ProcessWords } from './words.ts'

export const pairsWords: ProcessWords<PairedArrivals, 'pairs'> = {
  description: 'Two at once, evenly spaced.',
  example: 'pairs',
  schema: null,
  planned: z.object({ kind: z.literal('pairs') }),
}
`,
  },
  lines: [
    {
      path: 'src/scenario/arrivals/processes/index.ts',
      before: 'import { poisson }',
      text: "import { pairs } from './pairs.ts'\n",
    },
    {
      path: 'src/scenario/arrivals/processes/index.ts',
      before: '{ uniform, poisson, gamma',
      after: true,
      text: ', pairs',
    },
    {
      path: 'src/scenario/arrivals/processes/schemas.ts',
      before: 'import { poissonWords }',
      text: "import { pairsWords } from './pairs.schema.ts'\n",
    },
    {
      path: 'src/scenario/arrivals/processes/schemas.ts',
      before: '  gamma: gammaWords,\n',
      text: '  pairs: pairsWords,\n',
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
