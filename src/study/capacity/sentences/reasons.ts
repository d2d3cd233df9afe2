/** Why a search for capacity has no answer, or no better one. */
import { z } from 'zod'
import {
  formatCount,
  formatInterval,
  formatMs,
  formatShare,
  plural,
  toDigits,
} from '../../../base/numbers.ts'
import { listed } from '../../../base/text.ts'
import type { FindingOf, ReasonOf } from '../../../result/sentence-tables.ts'
import { reason, reasonOf } from '../../../result/sentence-tables.ts'
import { count, ms } from '../../frame/envelope.ts'
import { formatPerHour } from '../analyse/model/system.ts'
import { CAUSES } from './causes.ts'
import { alone, aloneWords } from './breaks.ts'

export const perHour = z.number().describe('Kickoffs per hour')

export const limitKind = z
  .enum(['workers', 'shared', 'both'])
  .describe(
    '`shared`: something that all executions share beside workers, such as a quota of the ' +
      'language model or a processor',
  )

export const partName = z.enum(['service', 'stay', 'tail', 'order'])

const searchLimits = z.object({
  stopped: z.boolean(),
  outOfTime: z.boolean(),
  kickoffs: count.describe('Of its budget'),
})

/** How a search that sends was limited. */
export type SearchLimits = z.infer<typeof searchLimits>

const sent = searchLimits.nullable().describe('How the search was limited; null: nothing is sent')

const CONTINUE = 'continue the search with crewload resume'
const MORE_OR_LONGER = 'allow more kickoffs or more time'
const TRY_IN_FLIGHT = 'try more with --max-in-flight'
const RAISE = 'raise what all executions share, such as a quota of the language model'
const RELIEFS = { workers: 'add workers', shared: RAISE, both: `add workers and ${RAISE}` }
export const WHEN_LOST = 'restore the target; crewload resume makes the missing loads'
/** Enough for a small crew. */
export const TRY_KICKOFFS = 1_000

const PARTS = {
  service: 'service times',
  stay: 'the time in the crew',
  tail: 'the longest times in the crew',
  order: 'not being first come, first served',
}

const notFull = {
  running: count.describe('The most executions at once'),
  workers: count.nullable().describe('Null where no execution waited for one'),
  executions: count.describe('That began while all workers were busy'),
  needed: count.describe('Such executions for a first estimate'),
  hidden: z.boolean().describe('The recorded runs cannot show that executions waited'),
  sent,
}

const wide = {
  width: z.number().nullable().describe('Relative, on the wider side; null without an end'),
  within: z.number().describe('What was requested'),
  toFill: count
    .nullable()
    .describe('Kickoffs that show whether the queue is limited; null where that is known'),
  executions: count.describe('That began in the full crew'),
  sent,
}

export const REASONS = {
  ...CAUSES,
  'times-contradict': reason(
    {
      workers: count,
      reportedMs: ms.describe('Mean of the tasks of an execution, as the crew reports them'),
      inferredMs: ms.describe('What a queue for so many workers leaves for them'),
    },
    ({ workers, reportedMs, inferredMs }) =>
      `By the crew's own times tasks take ${formatMs(reportedMs)}, and a queue for ` +
      `${plural(workers, 'worker')} leaves ${formatMs(inferredMs)}`,
    'look for something that executions share, such as a quota or a processor',
  ),
  'http-grows': reason(
    {
      fewMs: ms.describe('What requests add to an execution with few clients (mean)'),
      manyMs: ms.describe('The same under load'),
    },
    ({ fewMs, manyMs }) =>
      `Requests become slow under load: they add ${formatMs(manyMs)} to an execution on average, ` +
      `and ${formatMs(fewMs)} with few clients`,
    'enlarge what serves requests, such as a connection pool, or poll less often',
  ),
  'grows-with-load': reason(
    {},
    () => 'service times or failures grow with the load, which the simulation does not model',
    'limit the executions that run at once, or relax the promises',
  ),
  'model-refused': reason(
    { parts: z.array(partName).describe('Those that disagree') },
    ({ parts }) => `The crew differs from its model in ${listed(parts.map((name) => PARTS[name]))}`,
    'see below which part disagrees',
  ),
  'still-growing': reason(
    { from: count, to: count, maxInFlight: count },
    ({ from, to }) => `while executions waited, the number at work grew from ${from} to ${to}`,
    ({ to, maxInFlight }) => (to >= maxInFlight ? TRY_IN_FLIGHT : MORE_OR_LONGER),
  ),
  'too-few': reason(
    {},
    () => 'too few executions to tell whether the promises hold without load',
    'allow more kickoffs',
  ),
  'not-full': reason(notFull, emptyWords, ({ hidden, sent: limits }) => {
    if (limits !== null) return allowMore(limits)
    return `${hidden ? '' : 'name runs with more load, or '}${fillWith(TRY_KICKOFFS)}`
  }),
  'no-limit': reason(
    {},
    () => 'even with the most executions at once that were tried, none waited for a worker',
    TRY_IN_FLIGHT,
  ),
  wide: reason(
    wide,
    ({ width, within, toFill }) =>
      `the interval ${width === null ? 'has no known end' : `is ${formatShare(width)} wide`} on ` +
      `one side, and ${formatShare(within)} was requested` +
      (toFill === null ? '' : '. No load showed whether a longer queue is possible'),
    narrower,
  ),
  'not-confirmed': reason(
    {
      needed: count.describe('Kickoffs at that rate'),
      cut: z.boolean().describe('The search ended before its end'),
      sent,
    },
    ({ cut, sent: limits }) => {
      if (limits === null) {
        return 'no recorded run with open arrivals had as many executions in the crew at once'
      }
      const why = cut ? 'the search ended before that' : 'the budget was too small'
      return `the rate was not confirmed on the crew: ${why}`
    },
    ({ needed, sent: limits }) => {
      if (limits !== null) return limits.stopped ? CONTINUE : MORE_OR_LONGER
      return `${needed} kickoffs at that rate would confirm it: add ${crewWith(TRY_KICKOFFS)}`
    },
  ),
  'fails-alone': reason(
    {
      ...alone,
      executions: count,
      longestMs: ms,
    },
    ({ executions, longestMs, ...promise }) =>
      `${aloneWords(promise)}; the longest of ${plural(executions, 'execution')} took ` +
      formatMs(longestMs),
    'relax the promises, or make executions shorter or more reliable',
  ),
  'below-expected': reason(
    {
      expectedPerHour: perHour,
      mostPerHour: perHour,
      limit: limitKind.nullable().describe('Null where it is not known'),
    },
    ({ expectedPerHour, mostPerHour }) =>
      `${formatPerHour(expectedPerHour)} kickoffs per hour are expected, and the crew can take ` +
      `at most ${formatPerHour(mostPerHour)}`,
    ({ limit }) =>
      `${limit === null ? 'find what limits a full crew' : RELIEFS[limit]}, or relax the promises`,
  ),
  'expected-within': reason(
    { expectedPerHour: perHour, lowPerHour: perHour, highPerHour: perHour },
    ({ expectedPerHour, lowPerHour, highPerHour }) =>
      `${formatPerHour(expectedPerHour)} kickoffs per hour are expected, which lies within ` +
      formatInterval({ low: lowPerHour, high: highPerHour }, formatPerHour),
    'request a narrower interval with --within',
  ),
}

export type CapacityReasonOf = ReasonOf<typeof REASONS>

export function causeReason(cause: FindingOf<typeof CAUSES>): CapacityReasonOf {
  const { code, severity: _, message: __, ...facts } = cause
  return reasonOf(REASONS, code, facts)
}

function crewWith(kickoffs: number): string {
  return `--target URL --max-kickoffs ${kickoffs}, or --profile NAME`
}

function fillWith(kickoffs: number): string {
  return `let the search fill the crew: ${crewWith(kickoffs)}`
}

/** `least`: fewer kickoffs than these are not enough. */
function allowMore({ stopped, outOfTime, kickoffs }: SearchLimits, least = 0): string {
  if (stopped) return CONTINUE
  const more = kickoffs < least ? least : toDigits(kickoffs * 4, 1)
  return outOfTime ? 'allow more time with --max-duration' : `allow more: --max-kickoffs ${more}`
}

function emptyWords({
  running,
  workers,
  executions,
  needed,
  hidden,
  sent: limits,
}: z.infer<z.ZodObject<typeof notFull>>): string {
  const ran = plural(running, 'execution')
  if (workers === null && limits !== null) return `the crew ran ${ran} at once, and none waited`
  if (workers === null) {
    return hidden
      ? 'the crew reports no times of its executions, and their ends show no wait'
      : `the runs had at most ${ran} at once, and none waited`
  }
  const began = `${plural(executions, 'execution')} began while all of them were busy`
  const all = plural(workers, 'worker')
  const known = limits === null ? `of ${all}, ${began}` : `the crew has ${all}, and ${began}`
  return `${known}; a first estimate needs ${needed}`
}

/** A wider interval than this many times the one asked for cannot tell how much more is needed. */
const MOST_TIMES = 4

/** The width falls with the square root of the executions. */
function narrower({
  width,
  within,
  toFill,
  executions,
  sent: limits,
}: z.infer<z.ZodObject<typeof wide>>): string {
  if (limits?.stopped === true) return CONTINUE
  if (toFill !== null) return limits === null ? fillWith(toFill) : allowMore(limits, toFill)
  const times = (width ?? Infinity) / within
  if (times <= MOST_TIMES) {
    const more = toDigits(Math.ceil(executions * (times ** 2 - 1)), 1)
    return `about ${formatCount(more)} more kickoffs would make it narrow enough`
  }
  const more = limits === null ? 'name longer runs' : 'allow several times as many kickoffs'
  return `${more}: there are too few executions to tell how many are needed`
}
