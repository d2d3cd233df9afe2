/**
 * Measures how often the intervals of a p95, and of the share above it, contain the true value when
 * arrivals wait for each other in a queue.
 */
import { relaxationArrivals } from '../../../src/result/statistics/planning.ts'
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { Cell, Tally } from '../../../test/support/cells/coverage.ts'
import { coverageOf } from '../../../test/support/cells/coverage.ts'
import type { Queue } from '../../../test/support/cells/queue.ts'
import {
  exponentialQuantile,
  exponentialService,
  lognormalService,
  simulatedQuantile,
} from '../../../test/support/cells/queue.ts'

/** The tests use other seeds, so their results say nothing about these. */
const SEED = 20_261_122

const TRUTH_ARRIVALS = 10_000_000

interface Subject {
  name: string
  queue: Queue
  p95: number
}

const HEADINGS = [
  'queue',
  'load',
  'arrivals',
  'p95',
  'p95, taken as independent',
  'share above it',
  'share, its own series alone',
  'share, taken as independent',
  'n\\*/n',
]

const INTRODUCTION = `## Coverage of intervals

How often the 95 % interval holds the truth, in % of {n} simulated runs a row (seed ${SEED}); in parentheses the % of runs whose whole interval
lies on the good side of it, which would be judged \`met\` wrongly. Queues with Poisson arrivals, first come first served, from their steady
state: M/M/c with c servers and exponential service, M/G/c with lognormal service (sigma 0.76). "p95" is the interval of the time from
arrival to end; "share above it" is that of the share above the true p95, which is 5 %. Both are on the effective size n\\* of batches, with the
series above the upper quartile as companion; the mean part that is left of n stands last. Twice the standard error of a figure is 1.4 at 95 and 3.2 at 50.

`

/** Yields the text piece by piece as it is computed. */
export function* coverageSection(replications: number): Generator<string> {
  const random = createRandom(SEED)
  const tabulate = (title: string, cells: Iterable<[Subject, number]>, isCut = false) =>
    table(title, cells, { replications, isCut }, random)
  yield INTRODUCTION.replace('{n}', String(replications))
  const subjects = [
    nearlyIdle(),
    lognormalSubject(random),
    ...[0.67, 0.85, 0.9].flatMap((load) => [4, 10].map((servers) => subject(servers, load))),
  ]
  yield* tabulate('At given sizes', atSizes(subjects))
  yield* tabulate(
    'The same, cut at the last arrival: who is still there is censored',
    atSizes(subjects),
    true,
  )
  yield* tabulate('By relaxation times, rho / (1 - sqrt(rho))^2 arrivals each', byRelaxation())
}

function* atSizes(subjects: readonly Subject[]): Generator<[Subject, number]> {
  for (const each of subjects) for (const n of [500, 2_000, 8_000]) yield [each, n]
}

function* byRelaxation(): Generator<[Subject, number]> {
  for (const load of [0.85, 0.9]) {
    for (const servers of [4, 10]) {
      const { name, ...rest } = subject(servers, load)
      for (const times of [50, 100, 200, 400]) {
        const arrivals = Math.ceil(times * relaxationArrivals(load))
        yield [{ name: `${name}, ${times} times`, ...rest }, arrivals]
      }
    }
  }
}

function subject(servers: number, load: number): Subject {
  const queue = { servers, load, service: exponentialService }
  return { name: `M/M/${servers}`, queue, p95: exponentialQuantile(queue, 0.95) }
}

/**
 * Has so little load that nobody waits: shows what the rule costs when all arrivals are
 * independent.
 */
function nearlyIdle(): Subject {
  return subject(10, 0.05)
}

function lognormalSubject(random: Random): Subject {
  const queue = { servers: 10, load: 0.67, service: lognormalService }
  const p95 = simulatedQuantile(queue, 0.95, TRUTH_ARRIVALS, random.fork('truth'))
  return { name: 'M/G/10', queue, p95 }
}

function* table(
  title: string,
  cells: Iterable<[Subject, number]>,
  options: Pick<Cell, 'replications' | 'isCut'>,
  random: Random,
): Generator<string> {
  yield `### ${title}\n\n${line(HEADINGS)}${line(HEADINGS.map((_, at) => (at === 0 ? '---' : '---:')))}`
  for (const [{ name, queue, p95 }, arrivals] of cells) {
    const stream = random.fork(`${title} ${name} ${queue.load}`, arrivals)
    const coverage = coverageOf({ queue, p95, arrivals, ...options }, stream)
    yield line([
      name,
      String(queue.load),
      arrivals.toLocaleString('en'),
      percent(coverage.p95),
      percent(coverage.p95Independent),
      percent(coverage.share),
      percent(coverage.shareAlone),
      percent(coverage.shareIndependent),
      coverage.effectivePart.toFixed(3),
    ])
  }
  yield '\n'
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}

function percent({ held, tooGood, tooBad }: Tally): string {
  const part = (count: number) => ((100 * count) / (held + tooGood + tooBad)).toFixed(1)
  return `${part(held)} (${part(tooGood)})`
}
