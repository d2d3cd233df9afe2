/**
 * The text of the document of the bench: what was inferred about how many limiters, and at what
 * cost.
 */
import type { Conclusion } from '../../../src/study/limits/analyse/infer/interface.ts'
import type { Drawn } from './draw.ts'
import { FAST_JITTER_MS } from './fast.ts'
import type { Judged } from './judge.ts'
import { truthOf } from './judge.ts'
import type { Shared } from './shared.ts'
import type { Trial } from './trial.ts'
import type { Answer, Varied } from './varying.ts'
import { answerIn } from './varying.ts'

export interface Row {
  drawn: Drawn
  trial: Trial
  judged: Judged
}

interface Other {
  name: string
  conclusions: readonly Conclusion[]
}

const SURE = 0.99

export interface Measured {
  /** The tables for limiters without headers. */
  rows: readonly Row[]
  /** The same limiters with truthful headers. */
  told: readonly Row[]
  others: readonly Other[]
  /** The results with another client, by the share of the rate that it uses. */
  shared: ReadonlyMap<number, readonly Shared[]>
  /** The results on a network with little jitter, by the name of the selection of limiters. */
  fast: ReadonlyMap<string, readonly Row[]>
  /** The results with varying service times, by the name of their distribution. */
  varied: ReadonlyMap<string, readonly Varied[]>
  firstSeed: number
}

export function documentOf(measured: Measured): string {
  const { rows, told, others, shared, fast, varied, firstSeed } = measured
  return [
    introduction(rows.length, firstSeed),
    goals(rows),
    '\n## Which kind is taken for which\n\n',
    'A row for each kind that was drawn, a column for each kind that was named. Twins are ' +
      'told as one.\n\n',
    confusion(rows),
    '\n## Each kind\n\n',
    kindTable(rows),
    ...toldSection(told),
    ...fastSection(fast),
    ...variedSection(varied),
    '\n## Targets without a limiter\n\n',
    'None may be called a limiter; what was named, and how often.\n\n',
    othersTable(others),
    ...sharedSection(shared),
  ].join('')
}

function introduction(count: number, firstSeed: number): string {
  return `# Limiters are inferred from answers alone

Table of \`node bench/run.mjs limits ${count} ${firstSeed}\`: ${count} random limiters of the fake crew, without headers, in simulated time. Requests take
0 to 30 ms each way, and service up to 31 ms; with a limit of concurrency, 20 ms to 1 s. Limits are 1 to 150, windows 1 to 120 s, rates
0.2 to 50 a second, blocks 2 to 120 s; 30 % of limiters count what they refuse.

A window or a rate whose interval is wider than 5 % to either side is not claimed: \`open\` of the answer names it, and sentences tell the interval.
That is so above all for penalties, where each look at the window takes all of the limit and ends in a block, and for tokens that come within the jitter.

`
}

function goals(rows: readonly Row[]): string {
  const sure = rows.filter(({ trial: { conclusion } }) => isSure(conclusion))
  const requests = rows.map(({ trial }) => trial.conclusion.requests)
  const isPenalty = ({ drawn }: Row): boolean => drawn.kind === 'penalty'
  const lines = [
    ['kind right', shareOf(rows.map(({ judged }) => judged.kindRight)), '97 %'],
    ['limit exact', shareOf(rows.map(({ judged }) => judged.limitExact)), '97 %'],
    ['window or rate within 5 %', shareOf(rows.map(({ judged }) => judged.timeClose)), '95 %'],
    [
      'the same, where one is claimed',
      shareOf(rows.map(({ judged }) => judged.claimClose)),
      '95 %',
    ],
    ['all in the stated intervals', shareOf(rows.map(({ judged }) => judged.covered)), '95 %'],
    ['right where 99 % is claimed', shareOf(sure.map(({ judged }) => judged.kindRight)), '98 %'],
    ['99 % is claimed', shareOf(rows.map(({ trial }) => isSure(trial.conclusion))), ''],
    ['requests, median', String(quantile(requests, 0.5)), '200'],
    ['requests, p90', String(quantile(requests, 0.9)), ''],
    ['requests, most', String(quantile(requests, 1)), '600'],
    ['windows waited, median', windowsWaited(rows.filter((row) => !isPenalty(row))), '5'],
    ['blocks waited, median', windowsWaited(rows.filter(isPenalty)), '15'],
    ['CPU seconds, median', cpuSeconds(rows, 0.5), '1'],
    ['CPU seconds, most', cpuSeconds(rows, 1), ''],
  ]
  return table(['', 'measured', 'goal'], lines)
}

/**
 * Differences of a few milliseconds seem to distinguish windows there, which few answers really do.
 */
function fastSection(fast: Measured['fast']): string[] {
  const lines = [...fast].map(([name, rows]) => {
    const sure = rows.filter(({ trial }) => isSure(trial.conclusion))
    return [
      name,
      shareOf(rows.map(({ judged }) => judged.kindRight)),
      shareOf(sure.map(({ judged }) => judged.kindRight)),
      shareOf(rows.map(({ judged }) => judged.limitExact)),
      shareOf(rows.map(({ judged }) => judged.claimClose)),
      shareOf(sure.map(({ judged }) => judged.covered)),
    ]
  })
  const head = [
    '',
    'kind right',
    'right where 99 % is claimed',
    'limit exact',
    'time within 5 %, where claimed',
    'in intervals, where 99 % is claimed',
  ]
  return [
    '\n## On a fast network\n\n',
    `Requests take 0 to ${FAST_JITTER_MS} ms each way. Penalties, whose windows show only in the ` +
      'few blocks that a study can afford, have a line of their own.\n\n',
    table(head, lines),
  ]
}

function variedSection(varied: Measured['varied']): string[] {
  const lines = [...varied].map(([name, list]) => {
    const answers = list.map(answerIn)
    const count = (answer: Answer): number => answers.filter((each) => each === answer).length
    const requests = list.map(({ conclusion }) => conclusion.requests)
    return [
      name,
      shareOf(answers.map((answer) => answer !== 'open')),
      shareOf(answers.filter((answer) => answer !== 'open').map((answer) => answer === 'right')),
      String(count('wrong')),
      shareOf(list.map(({ judged }) => judged.covered)),
      String(quantile(requests, 0.5)),
    ]
  })
  const head = [
    'service',
    'answered',
    'all of it right',
    'wrong',
    'in intervals',
    'requests, median',
  ]
  return [
    '\n## In front of a target whose answers take long\n\n',
    'The same limiters without headers, in front of a target that takes a time of its own for ' +
      'each request that is let in; the network takes up to 1, 4, 10 or 30 ms each way. Right: ' +
      'the kind, the limit or its interval, and the window or rate within 5 % where one is claimed.\n\n',
    table(head, lines),
  ]
}

/**
 * Covers only limiters whose headers report their state: most dialects say nothing about
 * concurrency.
 */
function toldSection(told: readonly Row[]): string[] {
  const rows = told.filter(({ trial: { conclusion } }) => conclusion.headers?.limit != null)
  const requests = rows.map(({ trial }) => trial.conclusion.requests)
  const usedUp = rows.filter(({ trial }) => trial.conclusion.headers!.usedUp)
  const unused = rows.filter(({ trial }) => !trial.conclusion.headers!.usedUp)
  const sure = usedUp.filter(({ trial }) => isSure(trial.conclusion))
  const within = requests.map((count) => count <= MOST_WITH_HEADERS)
  const lines = [
    ['limiters whose headers tell a limit', String(rows.length), ''],
    ['ended within 60 requests', shareOf(within), 'all'],
    ['requests, median', String(quantile(requests, 0.5)), '60'],
    ['requests, p90', String(quantile(requests, 0.9)), '60'],
    ['requests, most', String(quantile(requests, 1)), '60'],
    ['used up: kind right', shareOf(usedUp.map(({ judged }) => judged.kindRight)), ''],
    ['used up: 99 % is claimed', shareOf(usedUp.map(({ trial }) => isSure(trial.conclusion))), ''],
    [
      'used up: right where 99 % is claimed',
      shareOf(sure.map(({ judged }) => judged.kindRight)),
      '98 %',
    ],
    ['not used up: kind right, but for blocks', shareOf(unused.map(isRightButForBlocks)), ''],
    ['limit exact', shareOf(rows.map(({ judged }) => judged.limitExact)), ''],
    ['window or rate within 5 %', shareOf(rows.map(({ judged }) => judged.timeClose)), ''],
    ['the same, where one is claimed', shareOf(rows.map(({ judged }) => judged.claimClose)), ''],
    ['all in the stated intervals', shareOf(rows.map(({ judged }) => judged.covered)), ''],
    ['truths that are called lies', String(rows.filter(isSlandered).length), '0'],
  ]
  return [
    '\n## With truthful headers\n\n',
    'The same limiters, each with headers that tell the truth, in one dialect after the other. ' +
      'A limit of up to about 40 is used up once; ' +
      'of a larger one, what headers count is followed, and the answer says that it was not ' +
      'used up. Where 60 requests do not settle it, the study goes on with its whole budget.\n\n',
    table(['', 'measured', 'goal'], lines),
  ]
}

const MOST_WITH_HEADERS = 60

/** A block that follows the first refusal is not seen where nothing is refused. */
function isRightButForBlocks({ drawn, judged, trial }: Row): boolean {
  const { kind } = trial.conclusion.rateLimit
  const isWindow = kind === 'fixed-window' || kind === 'sliding-log'
  return judged.kindRight || (drawn.kind === 'penalty' && isWindow)
}

function isSlandered({ trial }: Row): boolean {
  return trial.conclusion.headers!.lies.length > 0
}

function isSure({ outcome, rateLimit }: Conclusion): boolean {
  return outcome === 'settled' && rateLimit.probability >= SURE
}

/** The window of a bucket is the time in which it fills. */
function windowsWaited(rows: readonly Row[]): string {
  const waited = rows.flatMap(({ drawn, trial: { durationMs } }) => {
    const { limit, windowMs, blockMs } = truthOf(drawn)
    if (windowMs === null || limit === null) return []
    const isBucket = drawn.kind === 'token-bucket' || drawn.kind.startsWith('leaky')
    return [durationMs / (isBucket ? limit * windowMs : Math.max(windowMs, blockMs ?? 0))]
  })
  return waited.length === 0 ? '-' : quantile(waited, 0.5).toFixed(1)
}

function cpuSeconds(rows: readonly Row[], share: number): string {
  const cpu = rows.map(({ trial }) => trial.cpuMs / 1_000)
  return quantile(cpu, share).toFixed(2)
}

function confusion(rows: readonly Row[]): string {
  const named = [...new Set(rows.map(({ trial }) => trial.conclusion.rateLimit.kind))].sort()
  const lines = drawnKinds(rows).map((kind) => {
    const of = rows.filter(({ drawn }) => drawn.kind === kind)
    const counts = named.map(
      (name) => of.filter(({ trial }) => trial.conclusion.rateLimit.kind === name).length,
    )
    return [kind].concat(counts.map((count) => (count === 0 ? '' : String(count))))
  })
  return table(['', ...named], lines)
}

function kindTable(rows: readonly Row[]): string {
  const lines = drawnKinds(rows).map((kind) => {
    const of = rows.filter(({ drawn }) => drawn.kind === kind)
    const requests = of.map(({ trial }) => trial.conclusion.requests)
    return [
      kind,
      shareOf(of.map(({ judged }) => judged.kindRight)),
      shareOf(of.map(({ judged }) => judged.limitExact)),
      shareOf(of.map(({ judged }) => judged.timeClose)),
      shareOf(of.map(({ judged }) => judged.blockClose)),
      shareOf(of.map(({ judged }) => judged.covered)),
      `${quantile(requests, 0.5)}, ${quantile(requests, 0.9)}`,
      windowsWaited(of),
    ]
  })
  const head = ['', 'kind', 'limit', 'time', 'block', 'intervals', 'requests p50, p90', 'windows']
  return table(head, lines)
}

function othersTable(others: readonly Other[]): string {
  const lines = others.map(({ name, conclusions }) => {
    const kinds = conclusions.map(({ rateLimit }) => rateLimit.kind)
    const counts = [...new Set(kinds)].map(
      (kind) => `${kind} ${kinds.filter((each) => each === kind).length}`,
    )
    return [name, counts.join(', ')]
  })
  return table(['the target', 'named'], lines)
}

const SHARED_COLUMNS = ['right', 'unknown, named', 'unknown', 'uncertain', 'wrong'] as const

function countOf(list: readonly Shared[], named: Shared): string {
  return String(list.filter((one) => one === named).length)
}

function sharedSection(shared: Measured['shared']): string[] {
  const lines = [...shared].map(([share, list]) =>
    [`${share * 100} % of the rate`].concat(SHARED_COLUMNS.map((each) => countOf(list, each))),
  )
  return [
    '\n## Beside another client, without headers\n\n',
    'Limiters of a rate, which another client uses as well, at random times. "Unknown, named": ' +
      'no kind is named, and the reason says that another client ' +
      'may use the limit. "Uncertain": another kind is named, below 99 %. "Wrong": another kind ' +
      'is named, with 99 %.\n\n',
    table(['the other one uses', ...SHARED_COLUMNS], lines),
  ]
}

function drawnKinds(rows: readonly Row[]): string[] {
  return [...new Set(rows.map(({ drawn }) => drawn.kind))].sort()
}

/** For example `39 of 40 (97.5 %)`; null values are ignored. */
function shareOf(list: readonly (boolean | null)[]): string {
  const told = list.filter((one) => one !== null)
  const right = told.filter(Boolean).length
  return told.length === 0
    ? '-'
    : `${right} of ${told.length} (${((right / told.length) * 100).toFixed(1)} %)`
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))] ?? NaN
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'))
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}
