/**
 * Prints the tables of bench/results/gate.md: `node bench/run.mjs gate [gates]`. They show what
 * gates decide about crews whose truth is known, and after how many runs.
 */
import { createRandom } from '../../src/base/random.ts'
import type { Random } from '../../src/base/random.ts'
import type { Crew } from '../../test/support/ci/gates.ts'
import { CHANGES } from '../support/changes.ts'
import type { Ended } from '../../test/support/ci/simulated-gates.ts'
import { interleavedGate, storedGate } from '../../test/support/ci/simulated-gates.ts'

/** This differs from the seed of the tests. */
const SEED = 51_302_026
const gates = Number(process.argv[2] ?? 2_000)

type Gate = (base: Crew, next: Crew, runs: number, random: Random) => Ended

const NOISE: readonly (readonly [name: string, crew: Crew])[] = [
  ['3 %', { noise: 0.03 }],
  ['10 %', { noise: 0.1 }],
  ['3 %, half of it carried over to the next run', { noise: 0.03, drift: 0.5 }],
  ['3 %, failed shares vary by half of themselves', { noise: 0.03, failed: 0.02, uneven: 0.5 }],
]

interface Shares {
  fail: number
  pass: number
  /** The mean number of runs per side. */
  runs: number
}

interface Sides {
  gate: Gate
  base: Crew
  next: Crew
  runs: number
  /** The number of gates. Default: the number in the command line. */
  of?: number
}

function shares(name: string, { gate, base, next, runs, of = gates }: Sides): Shares {
  const random = createRandom(SEED).fork(`${name} ${runs}`)
  const sum = { fail: 0, pass: 0, runs: 0 }
  for (let i = 0; i < of; i++) {
    const { decision, runs: used } = gate(base, next, runs, random.fork('gate', i))
    if (decision === 'fail') sum.fail++
    if (decision === 'pass') sum.pass++
    sum.runs += used
  }
  return { fail: sum.fail / of, pass: sum.pass / of, runs: sum.runs / of }
}

const percent = (share: number): string => (100 * share).toFixed(1)

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(`### ${title}\n\n| ${head.join(' | ')} |\n`)
  process.stdout.write(`| --- |${' ---: |'.repeat(head.length - 1)}\n`)
  for (const row of rows) process.stdout.write(`| ${row.join(' | ')} |\n`)
  process.stdout.write('\n')
}

const RUNS = [3, 5, 8, 16]

/** The row of a table: its name, then one cell for each value. */
function row<T>(name: string, values: readonly T[], cell: (value: T) => string): string[] {
  return [name].concat(values.map(cell))
}

process.stdout.write(`${gates.toLocaleString('en')} gates a cell, in %.\n\n`)

table(
  'Nothing changed: FAIL, which is a false alarm',
  ['noise between runs', ...RUNS.map((runs) => `${runs} pairs`), '8, stored baseline'],
  NOISE.map(([name, crew]) =>
    row(name, RUNS, (runs) =>
      percent(shares(`same ${name}`, { gate: interleavedGate, base: crew, next: crew, runs }).fail),
    ).concat(
      percent(shares(`stored ${name}`, { gate: storedGate, base: crew, next: crew, runs: 8 }).fail),
    ),
  ),
)
table(
  'Nothing changed: PASS, and after how many runs a side it is decided in the mean',
  ['noise between runs', ...RUNS.map((runs) => `${runs} pairs`)],
  NOISE.map(([name, crew]) =>
    row(name, RUNS, (runs) => {
      const { pass, runs: used } = shares(`same ${name}`, {
        gate: interleavedGate,
        base: crew,
        next: crew,
        runs,
      })
      return `${percent(pass)}, ${used.toFixed(1)}`
    }),
  ),
)
for (const [noise, crew] of NOISE.slice(0, 2)) {
  table(
    `Noise of ${noise}: FAIL / PASS`,
    ['what is worse', ...RUNS.map((runs) => `${runs} pairs`)],
    CHANGES.map(([name, change]) =>
      row(name, RUNS, (runs) => {
        const worse = { ...crew, ...change }
        const sides = { gate: interleavedGate, base: crew, next: worse, runs }
        const { fail, pass } = shares(`${noise} ${name}`, sides)
        return `${percent(fail)} / ${percent(pass)}`
      }),
    ),
  )
}

const DRIFT = 0.5
const STORED: readonly (readonly [name: string, base: Crew, change: Partial<Crew>])[] = [
  ['nothing', { noise: 0.03 }, {}],
  ...[0.3, DRIFT, 0.7, 0.9].map(
    (drift) => [`nothing, ${drift} of the noise carried over`, { noise: 0.03, drift }, {}] as const,
  ),
  ['nothing, 10 % of noise, 0.5 carried over', { noise: 0.1, drift: DRIFT }, {}],
  ['all times +10 %', { noise: 0.03 }, { slower: 1.1 }],
  ['all times +15 %', { noise: 0.03 }, { slower: 1.15 }],
  ['all times +30 %', { noise: 0.03 }, { slower: 1.3 }],
  ['failed 0.5 % to 2 %', { noise: 0.03 }, { failed: 0.02 }],
  ['2 % newly lost', { noise: 0.03 }, { unserved: 0.02 }],
]

table(
  'Against a stored baseline of as many runs: FAIL / PASS',
  ['what is worse', ...RUNS.map((runs) => `${runs} runs`)],
  STORED.map(([name, base, change]) =>
    row(name, RUNS, (runs) => {
      const sides = { gate: storedGate, base, next: { ...base, ...change }, runs }
      const { fail, pass } = shares(`apart ${name}`, sides)
      return `${percent(fail)} / ${percent(pass)}`
    }),
  ),
)

/** The numbers of runs that `fewest` tries, in this order. */
const SIZES = [3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 40, 48, 64]
const WANTED = 0.9

/**
 * The gates for each size that `fewest` tries. Fewer are enough than for a share that is printed.
 */
const SEARCHED = Math.min(gates, 300)

function fewest(name: string, noise: number, slower: number): string {
  const base = { noise }
  const next = { ...base, slower }
  const found = SIZES.find((runs) => {
    const sides = { gate: interleavedGate, base, next, runs, of: SEARCHED }
    return shares(`fewest ${name}`, sides).fail >= WANTED
  })
  return found === undefined ? 'more than 64' : String(found)
}

const SLOWDOWNS = [1.08, 1.1, 1.15, 1.2, 1.3, 1.5]

table(
  'Runs a side that find a slowdown in 90 % of gates',
  ['noise between runs', ...SLOWDOWNS.map((slower) => `+${Math.round(100 * (slower - 1))} %`)],
  [0.01, 0.02, 0.03, 0.05, 0.1].map((noise) =>
    row(`${100 * noise} %`, SLOWDOWNS, (slower) => fewest(`${noise} ${slower}`, noise, slower)),
  ),
)
