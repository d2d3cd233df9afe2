/** Why a limit is not answered, or less than it could be, and what would settle it. */
import { z } from 'zod'
import {
  formatInterval,
  formatMs,
  formatTimes,
  formatValue,
  plural,
} from '../../../base/numbers.ts'
import type { FactsOf, ReasonOf, ReasonRow, ReasonTable } from '../../../result/sentence-tables.ts'
import { reason, reasonOf } from '../../../result/sentence-tables.ts'
import { count, ms } from '../../frame/envelope.ts'
import type { LimiterKind } from '../../frame/limiter-kinds.ts'
import { LIMITED_OPERATIONS, LIMITER_KINDS } from '../../frame/limiter-kinds.ts'

export const operationName = z.enum(LIMITED_OPERATIONS)

export const WHEN_LOST = 'see whether the target still runs, and continue with crewload resume'
const RESUME = 'continue it with crewload resume where the target still stands'
const MORE = 'give it more requests with --max-requests'
const MORE_ALONE = `${MORE}, while nobody else uses this token`
const MORE_KICKOFFS = 'give it more kickoffs with --max-kickoffs, if they are worth it'
const ALONE = 'use a token that nobody else uses'
const LESS_JITTER = 'use a network with less jitter'
const EXPERIMENTS = 'send the experiments that would settle it: crewload limits --target URL'
const RECORDED = 'the recorded requests cannot'

/** Why an answer is less than it could be, beside how its inference ended. */
const CAVEATS = {
  'no-limiter': reason(
    {},
    () => 'no single limiter explains the answers: another client may use the same one',
    ALONE,
  ),
  chance: reason(
    {},
    () => 'refusals at random explain the answers almost as well as a limiter',
    ALONE,
  ),
  'poor-fit': reason(
    {},
    () => 'the answers fit this limit poorly: another client may use the same one',
    ALONE,
  ),
  contradicted: reason(
    { times: count.describe('By more than the jitter') },
    ({ times }) =>
      `the answers contradict this limit ${formatTimes(times)}: another ` +
      'client may use the same one',
    ALONE,
  ),
  /** A steady client was refused, and no second limit explains it. */
  'second-limit': reason(
    {},
    () => 'a steady client was refused below the limit: a second limit, or another client, applies',
    ALONE,
  ),
  /** Recorded answers after the first refusals contradict the limit. */
  changed: reason(
    {},
    () => 'this limit explains the first refusals only: it may have changed, or several apply',
    ALONE,
  ),
  jitter: reason(
    {},
    () => 'within this jitter, a limit of concurrency and a fast bucket look the same',
    LESS_JITTER,
  ),
  'at-once': reason(
    { limit: count.describe('Requests in flight at once') },
    ({ limit }) => `a cap of ${plural(limit, 'request')} in flight explains the answers as well`,
    LESS_JITTER,
  ),
  late: reason(
    { tripMs: ms.describe('One round trip in ten took so long or longer'), windowMs: ms },
    ({ tripMs, windowMs }) =>
      `one round trip in ten took ${formatMs(tripMs)} or longer, too long to measure a ` +
      `window of ${formatMs(windowMs)}`,
    'use a quieter machine, nearer to the target',
  ),
  loose: reason(
    {
      what: z.enum(['rate', 'window']),
      low: z.number().describe('Requests a second, or milliseconds'),
      high: z.number(),
    },
    ({ what, low, high }) => {
      const interval = formatInterval({ low, high }, what === 'rate' ? 'perSecond' : 'ms')
      return `the ${what} is only known as ${interval}`
    },
    LESS_JITTER,
  ),
  'earlier-use': reason(
    { limit: count.describe('If requests to other operations used it too') },
    ({ limit }) =>
      `a limit of ${plural(limit, 'request')} explains the answers as well, if requests to other ` +
      'operations used it',
    MORE,
  ),
  followed: reason(
    {},
    () => 'headers were followed with few requests, and these leave the kind open',
    'spend more requests with --ignore-headers',
  ),
}

type Caveats = typeof CAVEATS
export type LimitCaveat = {
  [Code in keyof Caveats]: { code: Code } & FactsOf<Caveats[Code]>
}[keyof Caveats]

const caveat = z
  .union(
    Object.entries<ReasonRow>(CAVEATS).map(([code, { facts }]) =>
      z.object({ code: z.literal(code), ...facts }),
    ),
  )
  .meta({ id: 'caveat' }) as z.ZodType as z.ZodType<LimitCaveat>

/** The cut leads, and what else speaks against the answer is said. */
const cut = { caveat: caveat.nullable() }

const asked = {
  operation: operationName,
  recorded: z.boolean().describe('By a run, which follows its scenario'),
}

const undecided = {
  ...asked,
  kind: z.enum(LIMITER_KINDS),
  runnerUp: z.enum(LIMITER_KINDS).nullable(),
  requests: count,
}

/** How an inference ends. */
const OUTCOMES = {
  settled: reason({}, () => 'the evidence fits no kind of limit that is known here', MORE_ALONE),
  'cannot-tell': reason(
    undecided,
    (open) =>
      `${open.recorded ? RECORDED : 'no experiment within the budget can'} ${rivalWords(open)}`,
    MORE_ALONE,
  ),
  'budget-spent': reason(
    undecided,
    (open) => {
      if (open.recorded) return `${RECORDED} ${rivalWords(open)}`
      const requests = plural(open.requests, 'request')
      if (open.kind === 'none') return `${requests} met no limit; more may meet one`
      return `${requests} cannot ${rivalWords(open)}`
    },
    ({ operation }) => (operation === 'kickoff' ? MORE_KICKOFFS : MORE),
  ),
  'time-spent': reason(
    cut,
    (open) => caveatWords(open) ?? 'the time was over before the limit was certain',
    'give it more time with --max-duration',
  ),
  blocked: reason(
    asked,
    ({ recorded }) => `no ${recorded ? 'recorded ' : ''}request was let in after the first refusal`,
    'wait until the block is over, and ask the owner of the target how long it lasts',
  ),
  stopped: reason(
    cut,
    (open) => caveatWords(open) ?? 'the study was stopped before the limit was certain',
    RESUME,
  ),
  lost: reason({}, () => 'the target stopped answering', WHEN_LOST),
}

/** Of one operation by its outcome or a caveat, or of the whole study. */
export const REASONS = {
  'not-probed': reason(
    { operation: operationName },
    ({ operation }) => `${operation} was not probed`,
    RESUME,
  ),
  'no-requests': reason(
    {},
    () => 'no request in the journals has a complete history before it: no execution has ended',
    'wait until the run has ended, continue it with crewload resume, or give another one',
  ),
  ...ofOperation(OUTCOMES),
  'target-fails': reason(
    asked,
    ({ recorded }) =>
      `too many ${recorded ? 'recorded ' : ''}requests failed without being refused`,
    'fix the target first: failures hide what a limiter does',
  ),
  ...ofOperation(CAVEATS),
}

export type LimitReason = ReasonOf<typeof REASONS>

type OfOperation<Table extends ReasonTable> = {
  [Code in keyof Table]: ReasonRow<Table[Code]['facts'] & typeof asked>
}

/** More recorded requests would settle nothing. */
function ofOperation<Table extends ReasonTable>(table: Table): OfOperation<Table> {
  const rows = Object.entries(table).map(([code, row]) => {
    const said = reason(
      { ...row.facts, ...asked },
      (known) => row.says(known),
      (known) => (known.recorded ? EXPERIMENTS : row.remedy(known)),
    )
    return [code, said]
  })
  return Object.fromEntries(rows) as OfOperation<Table>
}

/** Beside the reasons of other operations. */
export function namedReason(operation: string, { message, ...known }: LimitReason): LimitReason {
  return { ...known, message: `${operation}: ${message}` }
}

function caveatWords({ caveat: against }: { caveat: LimitCaveat | null }): string | null {
  return against && reasonOf(CAVEATS, against.code, against).message
}

interface Rivals {
  kind: LimiterKind
  runnerUp: LimiterKind | null
}

function rivalWords({ kind, runnerUp }: Rivals): string {
  return runnerUp === null
    ? `confirm ${kindWords(kind)}`
    : `tell ${kindWords(kind)} from ${kindWords(runnerUp)}`
}

/** `a sliding log`. */
export function kindWords(kind: LimiterKind): string {
  return KIND_WORDS[kind]
}

const KIND_WORDS: Readonly<Record<LimiterKind, string>> = {
  none: 'no limit',
  'token-bucket': 'a token bucket',
  'leaky-bucket': 'a leaky bucket',
  'fixed-window': 'a fixed window',
  'sliding-log': 'a sliding log',
  'sliding-counter': 'a sliding counter',
  concurrency: 'a limit of concurrency',
  penalty: 'a penalty',
  unknown: 'a limit of no known kind',
}

export function perSecond(value: number): string {
  return formatValue(value, 'perSecond')
}
