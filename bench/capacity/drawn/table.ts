/** The text of bench/results/capacity.md, from the results of the bench of capacity. */
import { upperMedian } from '../../../src/result/statistics/rising.ts'
import { shareInterval } from '../../../src/result/statistics/shares.ts'
import type { DrawnCrew } from './crews.ts'
import type { Found } from './trial.ts'
import { ARRIVALS } from './truth.ts'

export interface Row {
  crew: DrawnCrew
  truth: number
  /** Half the difference between the two simulations of the truth, as a share of it. */
  error: number
  ample: Found
  middle: Found
  small: Found
  bisection: number
}

export interface OtherRow {
  crew: DrawnCrew
  ample: Found
  middle: Found
}

export function pageOf(rows: readonly Row[], others: readonly OtherRow[]): string {
  return `# Capacity against the truth

\`node bench/run.mjs capacity\` prints this page; \`capacity 40 20 5000\` takes 40 crews that a queue for workers
describes, 20 others, and seeds from 5,000 on. This page is of ${rows.length} and ${others.length}. Crews have 1 to 200 workers, six kinds of
service times with means of 30 to 300 s, and promise a p95 of 1.5 to 4 times that of an execution that is alone. Their true
capacity comes from two simulations of ${ARRIVALS.toLocaleString('en')} arrivals each, by code of the bench's own; in the median these differ
by ${(200 * upperMedian(rows.map(({ error }) => error))).toFixed(2)} %. A search within 5 % took ${secondsOf(upperMedian(cpuOf(rows)))} of CPU in the median and ${secondsOf(Math.max(...cpuOf(rows)))} at most; these are
simulations alone, without the requests of a run.

## Crews that are a queue for workers

Plain ones, with a queue of limited length, with a cold start, and with 8 to 25 workers that are slower the more of them
are busy. "Accepted" are those whose model the confirmation accepts; the other columns are of these. An interval is to hold
the truth in 98 %. Bisection has eight probes of 625 executions each, and starts from a quarter to four times the truth.

| kickoffs | crews | accepted | within 5 % | within 10 % | interval holds | median error | kickoffs spent, median |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${line('at most 20,000, within 5 %', rows, ({ ample }) => ample)}
${line('at most 5,000, within 5 %', rows, ({ middle }) => middle)}
${line(
  'the same, 2 workers and more',
  rows.filter(({ crew }) => crew.slots >= 2),
  ({ middle }) => middle,
)}
${line(
  'max(600, 6 x workers), within 10 %, 4 workers and more',
  rows.filter(({ crew }) => crew.slots >= 4),
  ({ small }) => small,
)}
${bisection(rows)}

By kind, with at most 20,000 kickoffs:

| crew | crews | accepted | within 5 % | within 10 % | interval holds | median error | kickoffs spent, median |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${[...new Set(rows.map(({ crew }) => crew.kind))]
  .toSorted()
  .map((kind) =>
    line(
      kind,
      rows.filter(({ crew }) => crew.kind === kind),
      ({ ample }) => ample,
    ),
  )
  .join('\n')}

## Crews that are not

Refused: the confirmation disagrees with the model, a limiter or drift is told, or a promise holds for an execution that is nearly
alone and breaks while all workers are busy. A crew of one or two workers whose failures grow with those that are busy breaks its
promise with a single execution; that it fails alone is then the right answer.

| crew | crews | refused for 20,000 kickoffs | for 5,000 | what disagrees |
| --- | ---: | ---: | ---: | --- |
${[...new Set(others.map(({ crew }) => crew.kind))]
  .toSorted()
  .map((kind) =>
    otherLine(
      kind,
      others.filter(({ crew }) => crew.kind === kind),
    ),
  )
  .join('\n')}
${otherLine('all', others)}

${refusedWords(others)}
`
}

function refusedWords(others: readonly OtherRow[]): string {
  const refused = others.filter(({ ample }) => ample.refused).length
  const interval = shareInterval(refused, others.length, 0.95)
  if (interval === null) return 'No such crew was searched.'
  const [low, high] = [interval.low, interval.high].map((share) => `${(100 * share).toFixed(1)} %`)
  return (
    `So ${refused} of ${others.length} are refused for 20,000 kickoffs; by the binomial ` +
    `distribution, ${low} to ${high} (95 %).`
  )
}

function cpuOf(rows: readonly Row[]): number[] {
  return rows.map(({ ample }) => ample.cpuMs)
}

function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

function line(name: string, rows: readonly Row[], of: (row: Row) => Found): string {
  const accepted = rows.filter((row) => !of(row).refused)
  const errors = accepted.map((row) => (of(row).perHour ?? 0) / row.truth - 1)
  const share = (most: number): string =>
    counted(errors.filter((error) => Math.abs(error) <= most).length, errors.length)
  const held = accepted.filter((row) => of(row).low <= row.truth && row.truth <= of(row).high)
  return cells([
    name,
    rows.length,
    counted(accepted.length, rows.length),
    share(0.05),
    share(0.1),
    counted(held.length, accepted.length),
    signed(upperMedian(errors)),
    upperMedian(accepted.map((row) => of(row).kickoffs)).toLocaleString('en'),
  ])
}

function bisection(rows: readonly Row[]): string {
  const errors = rows.map(({ bisection: found, truth }) => found / truth - 1)
  const share = (most: number): string =>
    counted(errors.filter((error) => Math.abs(error) <= most).length, errors.length)
  return cells([
    'plain bisection, 5,000',
    rows.length,
    '',
    share(0.05),
    share(0.1),
    '',
    signed(upperMedian(errors)),
    '5,000',
  ])
}

function otherLine(name: string, rows: readonly OtherRow[]): string {
  const refused = (of: (row: OtherRow) => Found): string =>
    counted(rows.filter((row) => of(row).refused).length, rows.length)
  const parts = new Map<string, number>()
  for (const { ample } of rows) {
    for (const part of ample.parts.split(', ').filter((each) => each !== '')) {
      parts.set(part, (parts.get(part) ?? 0) + 1)
    }
  }
  const told = [...parts].toSorted((a, b) => b[1] - a[1]).map(([part, count]) => `${part} ${count}`)
  return cells([
    name,
    rows.length,
    refused(({ ample }) => ample),
    refused(({ middle }) => middle),
    told.join(', '),
  ])
}

function cells(values: readonly (string | number)[]): string {
  return `| ${values.join(' | ')} |`
}

function counted(count: number, of: number): string {
  return of === 0 ? '-' : `${count} of ${of}`
}

function signed(share: number): string {
  return `${share >= 0 ? '+' : ''}${(100 * share).toFixed(1)} %`
}
