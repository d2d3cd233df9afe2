/** The tables of bench/results/twin.md. */
import type { DrawnProfile } from './crews.ts'
import type { Truth } from './record.ts'

interface Count {
  low: number
  high: number | null
  value: number
}

export interface Row {
  crew: DrawnProfile
  /** The true capacity, in kickoffs per hour. */
  capacity: number
  /** The mean service time of this run over the true mean: how far chance moved it. */
  runMeanShare: number
  by: readonly {
    truth: Truth
    quantiles: { held: number; of: number }
    workers: Count
    calm: Count
    capacity: number | null
  }[]
  /** What a twin learned from a run of the twin itself. */
  again: { workers: Count; capacity: number | null }
}

const NAMES: Record<Truth, string> = {
  ledger: 'ledger',
  reported: 'reported times',
  polls: 'polls alone',
}

export function pageOf(rows: readonly Row[], executions: number): string {
  return `${[...head(rows, executions), ...summary(rows), ...table(rows), ...reading()].join('\n')}\n`
}

function head(rows: readonly Row[], executions: number): string[] {
  return [
    '# Twins against the truth',
    '',
    '`node bench/run.mjs twin` prints this page.',
    '',
    `${rows.length} crews were drawn: 1 to 3 tasks of six shapes, 2 to 40 workers, and ` +
      `failures in half of them. One run of each, ${executions} executions at 0.92 to 1.12`,
    'of what its workers carry, was made in virtual time with the default polling, and a twin ' +
      'learned from it three times: with the ledger, which says when each',
    'execution began and ended; from the times that the crew reports, as most targets do; and ' +
      'from polls alone, as if it told neither times nor tasks.',
    'A second run at a load of 0.3 fills few crews.',
    '',
    'The capacity of crew and twin, the rate at which the p95 reaches twice that of an idle ' +
      'crew, comes from two simulations of 300,000 executions each by the',
    'code of the bench. So the last columns compare what a load test of the twin would find ' +
      'with what one of the crew would.',
    '',
  ]
}

function summary(rows: readonly Row[]): string[] {
  const lines = (['ledger', 'reported', 'polls'] as const).map((truth) => {
    const all = rows.map((row) => ({ row, own: row.by.find((each) => each.truth === truth)! }))
    const held = all.reduce((sum, { own }) => sum + own.quantiles.held, 0)
    const of = all.reduce((sum, { own }) => sum + own.quantiles.of, 0)
    const exact = all.filter(({ row, own }) => isExactly(own.workers, row.crew.workers)).length
    const inside = all.filter(({ row, own }) => holds(own.workers, row.crew.workers)).length
    const calm = all.filter(({ row, own }) => isRight(own.calm, row.crew.workers)).length
    const near = all.filter(({ row, own }) => isNear(own.capacity, row.capacity)).length
    const n = rows.length
    const likeliest = all.filter(({ row, own }) => own.workers.value === row.crew.workers).length
    return `| ${NAMES[truth]} | ${of === 0 ? '–' : `${held} of ${of}`} | ${exact} of ${n} | ${likeliest} of ${n} | ${inside} of ${n} | ${calm} of ${n} | ${near} of ${n} |`
  })
  return [
    'Each column of this table counts:',
    '',
    '- **Task times**: true medians and 95th percentiles, two for each task, that lie inside the ' +
      '95 % interval of the twin. Polls alone tell no tasks, so that the whole execution counts as one.',
    '- **One number, the true one**: crews whose workers the twin knows without a doubt: its ' +
      'interval has one number, and that is true.',
    '- **Likeliest is true**: crews whose number of workers is the one that the profile of the ' +
      'twin has, with or without other numbers beside it.',
    '- **Interval holds**: crews whose number of workers lies in the interval of the twin.',
    '- **Light load**: crews of which the run at a load of 0.3 says either the one true number, ' +
      'or "at least" one that is no higher.',
    '- **Capacity**: crews whose twin has a capacity within 10 % of their own.',
    '',
    '| Known by | task times | workers: one number, the true one | workers: likeliest is true | workers: interval holds | workers: light load | capacity within 10 % |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...lines,
    '',
    againWords(rows),
    '',
  ]
}

function againWords(rows: readonly Row[]): string {
  const same = rows.filter(({ by, again }) => by[0]?.workers.value === again.workers.value).length
  const near = rows.filter(({ by, again }) => isNear(again.capacity, by[0]?.capacity ?? 0)).length
  return (
    `A twin that is learned from a run of the twin has as many workers in ${same} of ` +
    `${rows.length}, and a capacity within 10 % of the twin's in ${near} of ${rows.length}.`
  )
}

function isExactly({ low, high }: Count, workers: number): boolean {
  return low === workers && high === workers
}

function holds({ low, high }: Count, workers: number): boolean {
  return low <= workers && workers <= (high ?? Infinity)
}

/**
 * Whether the count is exact, for a load that filled the crew, or else not above the true number.
 */
function isRight(count: Count, workers: number): boolean {
  return count.high === null ? count.low <= workers : isExactly(count, workers)
}

function isNear(found: number | null, truth: number): boolean {
  return found !== null && Math.abs(found / truth - 1) <= 0.1
}

function table(rows: readonly Row[]): string[] {
  return [
    'By crew: its true number of workers beside those that the twins tell, by what they know it, ' +
      'and by the ledger of the run at a load of 0.3; by how much the mean service time of its run ' +
      'is off the true one by chance; its true capacity, and by how much those of the twins are off.',
    '',
    '| crew | tasks | load | workers | ledger | reported | polls | load of 0.3 | mean of the run | capacity/h | ledger | reported | polls |',
    '| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map(({ crew, by, capacity, runMeanShare }) => {
      const cells = [
        crew.seed,
        crew.shapes.replaceAll(' ', ', '),
        crew.load.toFixed(2),
        crew.workers,
        ...by.map(({ workers }) => countWords(workers)),
        ...by.slice(0, 1).map(({ calm }) => countWords(calm)),
        differenceWords(runMeanShare, 1),
        capacity < 1_000 ? capacity.toPrecision(3) : Math.round(capacity).toLocaleString('en'),
        ...by.map((each) => differenceWords(each.capacity, capacity)),
      ]
      return `| ${cells.join(' | ')} |`
    }),
    '',
  ]
}

function countWords({ low, high, value }: Count): string {
  if (high === null) return `at least ${low}`
  return low === high ? String(value) : `${value} (${low} to ${high})`
}

function differenceWords(found: number | null, truth: number): string {
  if (found === null) return '–'
  const share = 100 * (found / truth - 1)
  return `${share < 0 ? '−' : '+'}${Math.abs(share).toFixed(1)} %`
}

function reading(): string[] {
  return [
    'The capacity of a twin is as good as the mean of its service times: 300 executions with ' +
      'a coefficient of variation of 0.7 know it to 4 % (one standard error). A run whose executions',
    'were shorter than usual by chance has a twin of more capacity.',
    'Polls alone leave an interval of workers where several numbers lead to ends between the ' +
      'same polls; more executions make it narrower.',
  ]
}
