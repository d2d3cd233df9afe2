/**
 * Prints bench/results/polling-truth.md: what the study of polling recommends and predicts,
 * compared with runs that it has not seen: `node bench/run.mjs polling [recordings]
 * [crews|chance|sizes|bands|many]`.
 */
import type { Chance, Deviation } from './polling/chance.ts'
import { formatCount } from '../../src/base/numbers.ts'
import { upperMedian } from '../../src/result/statistics/rising.ts'
import { chanceOf, isUnbiased, STUDIES } from './polling/chance.ts'
import { CREWS } from './polling/crews.ts'
import { recordedRun } from './polling/record.ts'
import type { Inside } from './polling/tables.ts'
import { deviationsOf, FURTHEST, SIZES } from './polling/sizes.ts'
import { compared, insideOf, partsOf, percent, rowOf } from './polling/tables.ts'
import { FIRST_POLLING } from './polling/truth.ts'

const [recordings = '100', only] = process.argv.slice(2)
const parts = partsOf(only)
const print = (text: string): boolean => process.stdout.write(text)

const FEW = { executions: 50, reference: 10_000 }
const MANY = { executions: 1_000, reference: 20_000 }
const REFERENCE_SEED = 3

if (parts.includes('crews')) {
  print(`# The study of polling against the truth

\`node bench/run.mjs polling\` prints this page. A poll costs as much as a second of detection delay.

## Recommended and predicted

Learned from 2,000 executions in virtual time. "Above the best" is the cost of the recommended strategy on 2,000 executions that it was not learned
from, above that of the best of its family, whose parameters were searched on these very executions; below 0, the search found nothing as good. Then
how far runs of the engine itself lie from what was predicted: with the same executions, which shows what the replay leaves out, and with others,
which adds the chance in 2,000 executions and in 2,000 others (next section). The delays of a crew
that always takes 60 s are the milliseconds of a request, which every run draws anew: with seeds 1 to 4 their p95 lies 3.6, -5.3, 0.6 and 1.5 % off.

`)
  print(
    rowOf([
      'crew',
      'recommended',
      'above the best',
      'polls',
      'delay p95',
      'polls, others',
      'p95, others',
    ]),
  )
  print(rowOf(['---', '---', '---:', '---:', '---:', '---:', '---:']))
  for (const crew of CREWS) {
    const { recommended, excess, same, fresh } = await compared(crew)
    const shares = [excess, same.polls, same.p95, fresh.polls, fresh.p95].map(percent)
    print(rowOf([crew.name, recommended, ...shares]))
  }
}

if (parts.includes('chance')) {
  print(`
## Deviation and chance

Whether predictions are off by more than chance. Of each crew ${STUDIES} studies of 2,000 executions, no two with the same seed; each is held
against a run of 2,000 others that polls as it recommends. "Mean": of the deviations from what was predicted, with the 95 % interval of that mean,
which holds 0 where the prediction has no bias. "Spread": their standard deviation. "Chance": the standard deviation of the difference between two
such runs under one and the same strategy. A prediction without error of its own has a spread as large as that.

`)
  print(rowOf(['crew', 'polls: mean', 'spread', 'chance', 'delay p95: mean', 'spread', 'chance']))
  print(rowOf(['---', '---:', '---:', '---:', '---:', '---:', '---:']))
  const all: Chance[] = []
  for (const crew of CREWS) {
    const own = await chanceOf(crew)
    all.push(own)
    print(rowOf([crew.name, ...deviationCells(own.polls), ...deviationCells(own.p95)]))
  }
  print(`\n${chanceSentence(all)}\n`)
}

if (parts.includes('sizes')) {
  print(`
## Deviation and number of executions

The crews of the first table whose runs of others lay furthest from the prediction of the 95th percentile of the delay. The strategy stays
what 2,000 executions recommend; what it is predicted from, and the run of others that it is held against, have as many executions as the
column says. An error of the prediction itself would stay; chance falls with the root of the number.

`)
  print(rowOf(['crew', ...SIZES.map((size) => `p95, others, ${formatCount(size)}`)]))
  print(rowOf(['---', ...SIZES.map(() => '---:')]))
  for (const crew of FURTHEST) {
    print(rowOf([crew.name, ...(await deviationsOf(crew)).map(percent)]))
  }
}

if (parts.includes('bands')) {
  await printBands(
    FEW,
    'Behind a queue, executions that follow each other take similar times, and 50 of them say little.',
  )
}

if (parts.includes('many')) {
  await printBands(
    MANY,
    'From 1,000 on, all executions judge the strategies that are fitted to them, and their mean delay is corrected.',
  )
}

async function printBands(
  { executions, reference: most }: { executions: number; reference: number },
  note: string,
): Promise<void> {
  const each = Math.ceil(Number(recordings) / CREWS.length)
  print(`
## Bands from ${formatCount(executions)} executions

Of each crew ${each} recordings of ${formatCount(executions)} executions that follow each other, and whether the bands of the recommended strategy
hold what ${formatCount(most)} executions tell of it.
${note}

`)
  print(rowOf(['crew', 'polls', 'delay p95', 'mean delay']))
  print(rowOf(['---', '---:', '---:', '---:']))
  const found: Inside[] = []
  for (const crew of CREWS) {
    const about = { executions: most, seed: REFERENCE_SEED, polling: FIRST_POLLING }
    const reference = await recordedRun(crew, about)
    const room = reference.executions.length - executions
    const own = Array.from({ length: each }, (_, i) =>
      insideOf(reference, Math.floor(((i + 0.5) / each) * room), executions),
    ).filter((inside) => inside !== null)
    found.push(...own)
    print(rowOf([crew.name, ...countsOf(own)]))
  }
  print(rowOf(['all', ...countsOf(found)]))
}

function countsOf(all: readonly Inside[]): string[] {
  return (['polls', 'p95', 'mean'] as const).map((name) => {
    return `${all.filter((inside) => inside[name]).length} of ${all.length}`
  })
}

function deviationCells({ mean, within, spread, chance }: Deviation): string[] {
  return [`${percent(mean)} ± ${percent(within)}`, percent(spread), percent(chance)]
}

/** Even without any bias, 1 interval in 20 would not contain 0 by chance. */
function chanceSentence(all: readonly Chance[]): string {
  const told = (['polls', 'p95'] as const).map((name) => {
    const own = all.map((each) => each[name])
    const unbiased = own.filter(isUnbiased).length
    const ratios = own
      .filter(({ chance }) => chance > 0)
      .map(({ spread, chance }) => spread / chance)
    const words = name === 'polls' ? 'polls' : 'the 95th percentile of the delay'
    return (
      `For ${words} the interval of the mean holds 0 in ${unbiased} of ${own.length} crews, and ` +
      `the spread is ${upperMedian(ratios).toFixed(2)} times the chance in the median.`
    )
  })
  return told.join('\n')
}
