/** A polling strategy: intervals as Fibonacci numbers. */
import { deepEqual, match, ok } from 'node:assert/strict'

export const polling = {
  headings: ['A polling strategy'],
  name: 'fibonacci',
  files: {
    'src/scenario/polling/fibonacci.schema.ts': `/** \`fibonacci\` as people write it, read it and try it. */
import { z } from 'zod'
import { formatDuration } from '../../base/numbers.ts'
import { positiveDuration, section } from '../quantities.ts'
import type { FibonacciPolling } from './index.ts'
import type { PollingWords } from './definition.ts'
import { geometric, secondsText } from './definition.ts'

const schema = section({ fibonacci: positiveDuration() }).transform(
  ({ fibonacci }): FibonacciPolling => ({ kind: 'fibonacci', unitMicros: fibonacci }),
)

export const fibonacciWords: PollingWords<FibonacciPolling> = {
  description: 'Each interval is the sum of the two before it.',
  example: { fibonacci: '1s' },
  schema,
  planned: z.object({ kind: z.literal('fibonacci'), unitMicros: z.number() }),
  tell: ({ unitMicros }) => \`at Fibonacci numbers times \${formatDuration(unitMicros)}\`,
  tried: ({ meanMicros }) =>
    geometric(meanMicros / 100, meanMicros, 1.5).map((unitMicros) => {
      return { kind: 'fibonacci', unitMicros }
    }),
  loop: {
    typescript: ({ unitMicros }) =>
      \`  let [a, b] = [1, 1]\\n  for (let i = 0; i < polls; i++) [a, b] = [b, a + b]\\n  return a * \${secondsText(unitMicros)}\`,
    python: ({ unitMicros }) =>
      \`    a, b = 1, 1\\n    for _ in range(polls):\\n        a, b = b, a + b\\n    return a * \${secondsText(unitMicros)}\`,
  },
}
`,
  },
  lines: [
    {
      path: 'src/scenario/polling/index.ts',
      before: '/** Every strategy, by its kind',
      text: `export interface FibonacciPolling {
  kind: 'fibonacci'
  unitMicros: Micros
}

/** The option as an author writes it. */
interface FibonacciOption {
  /** The first two intervals, 1 ms or more. Each later one is the sum of the two before it. */
  fibonacci: Duration
}

const fibonacci: PollingStrategy<FibonacciPolling> = {
  nextMicros: ({ unitMicros }, { intervals }) => unitMicros * fibonacciNumber(intervals),
  timed: (policy, time) => ({ ...policy, unitMicros: time(policy.unitMicros) }),
  write: ({ unitMicros }) => ({ fibonacci: durationText(unitMicros) }),
}

const MOST_NUMBERS = 40

function fibonacciNumber(n: number): number {
  let [number, next] = [1, 1]
  for (let i = 0; i < Math.min(n, MOST_NUMBERS); i++) [number, next] = [next, number + next]
  return number
}

`,
    },
    {
      path: 'src/scenario/polling/index.ts',
      before: '{ fixed, exponential, schedule, progress',
      after: true,
      text: ', fibonacci',
    },
    {
      path: 'src/scenario/polling/index.ts',
      before: 'type StrategyPolicy =',
      after: true,
      text: ' FibonacciPolling |',
    },
    {
      path: 'src/scenario/polling/index.ts',
      before: 'type StrategyOption =',
      after: true,
      text: ' FibonacciOption |',
    },
    {
      path: 'src/scenario/polling/schemas.ts',
      before: 'import { fixedWords }',
      text: "import { fibonacciWords } from './fibonacci.schema.ts'\n",
    },
    {
      path: 'src/scenario/polling/schemas.ts',
      before: '  progress: progressWords,\n',
      text: '  fibonacci: fibonacciWords,\n',
    },
    {
      path: 'test/scenario/polling.test.ts',
      before: "  test('fixed: the initial delay",
      text: `  test('fibonacci: the sum of the two before', () => {
    expect(intervals({ kind: 'fibonacci', unitMicros: 2 }, 6)).toEqual([2, 2, 4, 6, 10, 16])
  })

`,
    },
  ],
  elsewhere: 29,
  tests: ['fibonacci'],

  async prove({ cli, load, read, records, scenario }) {
    const file = scenario({
      arrivals: { clients: 1, iterations: 1 },
      polling: { fibonacci: '100ms' },
    })
    await cli(
      'run',
      file,
      '--profile',
      'fast',
      '--engine',
      'virtual',
      '--speed',
      '0.2',
      '--out',
      'runs-polling',
    )
    const [{ acceptedMicros, polls }] = records('runs-polling')
    const answered = polls.dueMicros.map(
      (due, i) => due + polls.waitMicros[i] + polls.serviceMicros[i],
    )
    const gaps = polls.dueMicros.map((due, i) => due - (i === 0 ? acceptedMicros : answered[i - 1]))
    // A scenario at a speed of 0.2 takes five times as long.
    deepEqual(gaps.slice(0, 4), [500_000, 500_000, 1_000_000, 1_500_000])
    const { FAMILIES } = await load('src/study/polling/analyse/families/list.ts')
    ok(FAMILIES.fibonacci.policies({ meanMicros: 60_000_000 }).length > 5)
    const { loopsOf } = await load('src/study/frame/loops.ts')
    const { python, typescript } = loopsOf({ kind: 'fibonacci', unitMicros: 250_000 })
    match(python, /return a \* 0\.25/)
    match(typescript, /return a \* 0\.25/)
    match(read('schemas/polling.schema.json'), /"fibonacci"/)
    match(read('schemas/scenario.schema.json'), /"fibonacci"/)
    match(read('docs/reference.md'), /`fibonacci`/)
  },
}
