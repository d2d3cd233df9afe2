/**
 * Prints the tables of bench/results/comparison.md: `node bench/run.mjs comparison [gates]`. They
 * show how often a comparison reports a change between runs whose truth is known.
 */
import { createRandom } from '../../src/base/random.ts'
import { compareAll } from '../../src/study/comparing/metrics.ts'
import { DEFAULT_JUDGED } from '../../src/study/comparing/options.ts'
import type { Crew } from '../../test/support/ci/gates.ts'
import { CHANGES } from '../support/changes.ts'
import { runsOf } from '../../test/support/ci/gates.ts'

/** This differs from the seed of the tests. */
const SEED = 77_412_026
const TERMS = { smallestChange: 0.05, smallestDifference: 0.01, level: 0.01, equivalent: null }
const RUNS = [3, 5, 8, 16]
const gates = Number(process.argv[2] ?? 4_000)

const NOISE: readonly (readonly [name: string, crew: Crew])[] = [
  ['3 % between runs', { noise: 0.03 }],
  ['10 % between runs', { noise: 0.1 }],
  ['3 %, each run like the one before by half', { noise: 0.03, drift: 0.5 }],
  [
    '3 %, failed shares that vary by half of themselves',
    { noise: 0.03, failed: 0.02, uneven: 0.5 },
  ],
]

/** The share of gates in which a judged metric changed significantly, in %. */
function found(base: Crew, next: Crew, runs: number, name: string): string {
  const random = createRandom(SEED).fork(`${name} ${runs}`)
  let count = 0
  for (let gate = 0; gate < gates; gate++) {
    const own = random.fork('gate', gate)
    const [before, after] = [
      runsOf(runs, base, own.fork('base')),
      runsOf(runs, next, own.fork('new')),
    ]
    if (compareAll(before, after, DEFAULT_JUDGED, TERMS).some(({ significant }) => significant))
      count++
  }
  return ((100 * count) / gates).toFixed(1)
}

function table(
  title: string,
  rows: readonly (readonly [name: string, base: Crew, next: Crew])[],
): void {
  const head = ['', ...RUNS.map((runs) => `${runs} runs a side`)]
  process.stdout.write(`### ${title}\n\n| ${head.join(' | ')} |\n`)
  process.stdout.write(`| --- |${' ---: |'.repeat(RUNS.length)}\n`)
  for (const [name, base, next] of rows) {
    const cells = RUNS.map((runs) => found(base, next, runs, `${title} ${name}`))
    process.stdout.write(`| ${[name, ...cells].join(' | ')} |\n`)
  }
  process.stdout.write('\n')
}

process.stdout.write(`${gates.toLocaleString('en')} comparisons a cell, in %.\n\n`)
table(
  'False alarms: nothing changed',
  NOISE.map(([name, crew]) => [name, crew, crew]),
)
for (const [noise, crew] of NOISE.slice(0, 2)) {
  table(
    `Found: ${noise}`,
    CHANGES.map(([name, change]) => [name, crew, { ...crew, ...change }]),
  )
}
