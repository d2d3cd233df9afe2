/**
 * What a twin says of each part that it learned: the name of the part, what the runs showed, and
 * which run would show it, or show it more closely.
 */
import { z } from 'zod'
import { unreachable } from '../../../base/assert.ts'
import {
  formatBytes,
  formatCount,
  formatEstimate,
  formatInterval,
  formatMs,
  formatShare,
  plural,
  threeDigits,
  toDigits,
} from '../../../base/numbers.ts'
import { MEASURED_OPERATIONS } from '../../../crew/answer.ts'
import type { ReasonRow, ShapeFacts } from '../../../result/sentence-tables.ts'
import { reason, reasonOf, reasonSchema } from '../../../result/sentence-tables.ts'
import { count, ms } from '../../frame/envelope.ts'
import { TIMES_BY } from '../../frame/executions/reader.ts'
import { LIMITER_KINDS } from '../../frame/limiter-kinds.ts'

const share = z.number().describe('0 to 1')
const perMinute = z.number()

/** In milliseconds, or in bytes for the size of an output. */
const distribution = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), value: z.number() }),
  z.object({ kind: z.literal('lognormal'), median: z.number(), p95: z.number() }),
  z.object({ kind: z.literal('gamma'), mean: z.number(), cv: z.number() }),
  z.object({ kind: z.literal('quantiles'), quantiles: count }),
])
export type LearnedDistribution = z.infer<typeof distribution>

const fitted = {
  distribution,
  values: count,
  between: count.describe('Of the values, those known only between two polls'),
  censored: count.describe('Of the values, those whose end was not seen'),
}

const operation = z.enum(MEASURED_OPERATIONS)
const limited = { operation, kind: z.enum(LIMITER_KINDS), probability: share }

const quota = {
  callsPerMinute: perMinute,
  perTask: count,
  burst: count,
  refill: z.enum(['steady', 'window']),
  when: z.enum(['wait', 'retry']),
}

/** Why the twin does not have a limit that was found. */
const LEFT_OUT = {
  uncertain: 'its kind is uncertain',
  'no-bucket': 'its rate or its capacity is not known',
  'no-window': 'its limit or its window is not known',
  'no-penalty': 'its limit, its window or its block is not known',
  'no-concurrency': 'the number of requests in flight is not known',
  'no-kind': 'the answers fit no kind, or too many',
  'full-queue': 'a full queue explains its refusals',
} as const
export type LeftOutReason = keyof typeof LEFT_OUT

const LIMITS = 'a study of limits, by crewload limits'
const MORE_QUOTA = 'more executions, at a rate at which they wait for the quota'

export const PARTS = {
  task: part(
    { task: z.string(), ...fitted },
    ({ task }) => `task ${task}`,
    (fit) => fittedWords(fit, formatMs),
  ),
  'task-few': part(
    { task: z.string(), executions: count, needed: count },
    ({ task }) => `task ${task}`,
    ({ executions }) =>
      `${plural(executions, 'execution')} completed it: too few for a distribution`,
    ({ needed }) => `a run in which at least ${needed} executions complete it`,
  ),
  'task-of-tag': part(
    { task: z.string(), tag: z.string(), ...fitted },
    ({ task, tag }) => `task ${task}, tag ${tag}`,
    (fit) => `${fittedWords(fit, formatMs)}. The twin mixes tags as the runs did`,
  ),
  overhead: part(fitted, 'time outside of tasks', (fit) => fittedWords(fit, formatMs)),
  workers: part(
    { workers: count, low: count, high: count, waited: count, by: z.enum(TIMES_BY) },
    'workers',
    ({ workers, low, high, waited, by }) => {
      const estimate = formatEstimate({ value: workers, low, high }, 'count')
      return `${estimate}, by ${SOURCES[by]}; ${plural(waited, 'execution')} waited`
    },
    ({ low, high }) =>
      low === high ? '' : 'more executions under load, or a crew that reports its times',
  ),
  'workers-not-full': part(
    {
      low: count,
      fillingPerMinute: perMinute
        .nullable()
        .describe('Kickoffs that would fill them; null: unknown'),
    },
    'workers',
    ({ low }) => `at least ${low}: the load never filled them`,
    ({ fillingPerMinute: rate }) =>
      rate === null ? 'more load' : `a run at ${threeDigits(rate)}/min`,
  ),
  'workers-scale': part(
    {
      from: count,
      to: count,
      upAfterMs: ms,
      downAfterMs: ms.nullable().describe('Null if none was seen to go'),
      added: count.describe('How often one was added'),
    },
    'workers',
    ({ from, to, upAfterMs, downAfterMs, added }) => {
      const gone =
        downAfterMs === null
          ? 'none was seen to go'
          : `one fewer after ${formatMs(downAfterMs)} of idling`
      return (
        `${from} to ${plural(to, 'worker')}: one more after ${formatMs(upAfterMs)} of waits ` +
        `(${plural(added, 'time')}), ${gone}`
      )
    },
    ({ downAfterMs }) => (downAfterMs === null ? 'a run whose load falls and rises again' : ''),
  ),
  quota: part(
    {
      ...quota,
      waited: count.describe('Tasks, by the ledger'),
      tasks: count,
      explained: share.describe('Of the waits'),
      fits: z.boolean().describe('It explains enough of them'),
    },
    'quota',
    (own) =>
      `${quotaWords(own)}. ${quotaWaits(own)}, and it explains ${formatShare(own.explained)} of the waits`,
    ({ fits }) => (fits ? '' : MORE_QUOTA),
  ),
  'quota-unknown': part(
    { waited: count, tasks: count },
    'quota',
    (own) =>
      `${quotaWaits(own)}, and no quota of calls explains that. The twin's tasks take as long`,
    MORE_QUOTA,
  ),
  slowdown: part(
    {
      fullSpeed: count.describe('Tasks at once'),
      slowed: count.describe('Tasks, by the ledger'),
      tasks: count,
      explained: share.describe('Of their delay'),
      fits: z.boolean().describe('It explains enough of it'),
    },
    'shared processor',
    ({ fullSpeed, explained, ...own }) =>
      `${plural(fullSpeed, 'task')} at full speed at once. ${slowedWords(own)}, and it explains ` +
      `${formatShare(explained)} of that`,
    ({ fits }) => (fits ? '' : 'more executions at the same rate'),
  ),
  'slowdown-few': part(
    { slowed: count, tasks: count },
    'shared processor',
    (own) => `${slowedWords(own)}: too few`,
    'more load',
  ),
  crowding: part(
    {
      executions: count,
      fullSpeed: count.describe('Executions beside which none takes longer'),
      longer: share.describe('By how much the others take longer'),
    },
    'what executions share',
    ({ executions, fullSpeed, longer }) =>
      `of ${plural(executions, 'execution')}, those beside many take ${formatShare(longer)} longer. ` +
      `The twin slows down more than ${fullSpeed} at once`,
    'a ledger, which distinguishes a quota from a processor, or crewload capacity',
  ),
  queue: part(
    { limit: count, status: z.int(), refusals: count },
    'queue limit',
    ({ limit, status, refusals }) =>
      `${limit}; ${plural(refusals, 'kickoff was', 'kickoffs were')} answered with ${status} while that many waited`,
  ),
  'queue-never-full': part(
    { hasWaited: z.boolean().describe('The load filled the workers') },
    'queue limit',
    () => 'no kickoff was turned away by a full queue',
    ({ hasWaited }) =>
      hasWaited ? 'a load beyond what the workers can finish' : 'a load that fills the workers',
  ),
  'cold-start': part(
    {
      meanMs: ms,
      starts: count,
      awakeAfterMs: ms.nullable().describe('The longest pause after which the crew was awake'),
      asleepAfterMs: ms.nullable().describe('The shortest after which it slept'),
      idleMs: ms.describe('That of the twin'),
    },
    'cold start',
    ({ meanMs, starts, awakeAfterMs: awake, asleepAfterMs: asleep, idleMs }) => {
      const pauses =
        awake === null || asleep === null
          ? `${formatMs(idleMs)} without work is an assumption`
          : `it sleeps after a pause of ${formatInterval({ low: awake, high: asleep }, 'ms')}`
      return `${formatMs(meanMs)} on average over ${starts}; ${pauses}`
    },
    ({ awakeAfterMs: awake, asleepAfterMs: asleep }) =>
      awake === null || asleep === null ? 'pauses of several lengths between kickoffs' : '',
  ),
  'cold-start-unseen': part(
    { isHidden: z.boolean().describe('Only polls show when executions ran') },
    'cold start',
    () => 'none was seen',
    ({ isHidden }) => (isHidden ? 'a crew that reports how long executions ran' : ''),
  ),
  failures: part(
    {
      task: z.string(),
      failed: count,
      reached: count.describe('Executions that reached the task'),
      messages: count.describe('Different ones'),
      most: share.describe('Upper end of the interval of the share that fails'),
    },
    ({ task }) => `failures of ${task}`,
    ({ failed, reached, messages, most }) => {
      const several = `, with ${messages} messages; the twin has the most frequent one`
      const upper = failed > 0 ? '' : `; at most ${formatShare(most)} fail`
      return `${failed} of ${plural(reached, 'execution')}${messages <= 1 ? '' : several}${upper}`
    },
    ({ failed }) => (failed > 0 ? '' : 'more executions'),
  ),
  stuck: part(
    { stuck: count, executions: count },
    'stuck executions',
    ({ stuck, executions }) => `${stuck} of ${plural(executions, 'execution')} never ended`,
  ),
  asks: part(
    {
      task: z.string(),
      asked: count,
      reached: count,
      open: count.describe('Those that nobody had answered'),
      distribution,
    },
    ({ task }) => `people asked about ${task}`,
    ({ asked, reached, open, distribution: answers }) => {
      const unanswered = open === 0 ? '' : `; ${open} had no answer yet`
      return (
        `${asked} of ${plural(reached, 'execution')}; answers took ` +
        `${shapeWords(answers, formatMs)}${unanswered}. Whether a worker waits with the execution ` +
        'is not known: in the twin it serves others'
      )
    },
  ),
  'asks-few': part(
    { task: z.string(), asked: count, reached: count, needed: count },
    ({ task }) => `people asked about ${task}`,
    ({ asked, reached }) =>
      `${asked} of ${plural(reached, 'execution')}; too few answers for a distribution, so the ` +
      'twin asks nobody',
    ({ needed }) => `a run with at least ${needed} answers`,
  ),
  'asks-hidden': part(
    {},
    'people',
    () =>
      'only a ledger says when the crew asks people. The twin asks nobody, and its tasks take as ' +
      'long as task and answer together',
    'asks in the profile, with how often people are asked and how long they take',
  ),
  latency: part(
    {
      operation,
      ...fitted,
      load: z
        .object({ fewMs: ms, manyMs: ms, grows: z.boolean() })
        .nullable()
        .describe('Medians beside few and beside many other requests; null for too few'),
    },
    ({ operation: name }) => `${name} latency`,
    ({ load, ...fit }) => {
      const growth =
        load === null
          ? ''
          : `. Median ${formatMs(load.fewMs)} beside few requests, ${formatMs(load.manyMs)} beside many`
      return `${fittedWords(fit, formatMs)}. It includes the network${growth}`
    },
    ({ load }) =>
      load?.grows === true
        ? 'a pool of connections in the profile (http.pool), for it grows with the load'
        : '',
  ),
  'latency-few': part(
    { operation },
    ({ operation: name }) => `${name} latency`,
    () => 'too few answers over a connection that was already open',
    'more requests, closer together',
  ),
  output: part({ ...fitted, tasks: count }, 'output size', ({ tasks, ...fit }) => {
    const each = tasks === 1 ? '' : '. Every task has the size of the final outputs'
    return `${fittedWords(fit, (bytes) => formatBytes(Math.round(bytes)))}${each}`
  }),
  'output-few': part({}, 'output size', () => 'too few outputs', 'more executions'),
  limit: part(limited, ({ operation: name }) => `limit on ${name}`, limitWords),
  'limit-left-out': part(
    { ...limited, why: z.enum(Object.keys(LEFT_OUT) as LeftOutReason[]) },
    ({ operation: name }) => `limit on ${name}`,
    ({ why, ...known }) => `${limitWords(known)}. The twin omits it, because ${LEFT_OUT[why]}`,
    LIMITS,
  ),
  'limit-further': part(
    { operation, kind: z.enum(LIMITER_KINDS), basis: z.enum(['measured', 'promised']) },
    ({ operation: name }) => `further limit on ${name}`,
    ({ kind, basis }) =>
      basis === 'promised'
        ? `${kind}, promised by headers alone; the twin omits it, because no request reached it`
        : `${kind}, by the study of limits; the twin omits it, because it has only one limit per ` +
          'operation',
    LIMITS,
  ),
  'limits-unexplained': part(
    { requests: count },
    'limits',
    ({ requests }) =>
      `${plural(requests, 'request was', 'requests were')} refused, and no limit explains it`,
    LIMITS,
  ),
  'keep-alive': part(
    {
      keptMs: ms.describe('The longest pause after which a connection was used again'),
      closedMs: ms.nullable().describe('The shortest after which none was; null: none seen'),
    },
    'keep-alive',
    ({ keptMs, closedMs }) => {
      const [kept, closed] = [formatMs(keptMs), closedMs === null ? null : formatMs(closedMs)]
      const after = closed === kept ? 'longer ones' : `${closed} or more`
      return (
        `connections were used again after pauses of up to ${kept}` +
        `${closed === null ? '' : `, and never after ${after}`}. A profile has none of this`
      )
    },
    ({ closedMs }) => (closedMs === null ? 'longer intervals between polls' : ''),
  ),
  'keep-alive-unseen': part({}, 'keep-alive', () => 'no second request', 'longer executions'),
  errors: part(
    { operation, status: z.int(), failed: count, requests: count },
    ({ operation: name, status }) => `${status} on ${name}`,
    ({ failed, requests }) => `${failed} of ${plural(requests, 'request')}`,
  ),
}

export interface PartRow<S extends z.ZodRawShape> extends ReasonRow<S> {
  name(facts: ShapeFacts<S>): string
}

/** `remedy`: what would show it, or show it more closely; empty for nothing. */
function part<const S extends z.ZodRawShape>(
  facts: S,
  name: string | ((facts: ShapeFacts<S>) => string),
  says: (facts: ShapeFacts<S>) => string,
  remedy: string | ((facts: ShapeFacts<S>) => string) = '',
): PartRow<S> {
  return { ...reason(facts, says, remedy), name: typeof name === 'string' ? () => name : name }
}

type PartShapes = { [Code in keyof typeof PARTS]: (typeof PARTS)[Code]['facts'] }
/** `remedy`: what would show it; empty for nothing. */
export const learnedPart = reasonSchema(PARTS)

const ROWS: { readonly [Code in keyof PartShapes]: PartRow<PartShapes[Code]> } = PARTS

export function namedPart<Code extends keyof PartShapes>(
  code: Code,
  facts: ShapeFacts<PartShapes[Code]>,
) {
  return { name: ROWS[code].name(facts), learned: reasonOf(ROWS, code, facts) }
}

const SOURCES = {
  ledger: 'starts and ends of the ledger',
  reported: 'the times that the crew reports and the order of acceptance',
  polls: 'ends between two polls and the order of acceptance',
} as const

function fittedWords(fit: ShapeFacts<typeof fitted>, text: (value: number) => string): string {
  const { values, between, censored } = fit
  const doubts = [
    between === 0 ? [] : `${between} between two polls`,
    censored === 0 ? [] : `${censored} without an end`,
  ].flat()
  const sample = `${plural(values, 'value')}${doubts.length === 0 ? '' : ` (${doubts.join(', ')})`}`
  return `${shapeWords(fit.distribution, text)}, from ${sample}`
}

function shapeWords(shape: LearnedDistribution, text: (value: number) => string): string {
  switch (shape.kind) {
    case 'constant':
      return `always ${text(shape.value)}`
    case 'lognormal':
      return `lognormal, median ${text(shape.median)}, p95 ${text(shape.p95)}`
    case 'gamma':
      return `gamma, mean ${text(shape.mean)}, cv ${threeDigits(shape.cv)}`
    case 'quantiles':
      return `${shape.quantiles} quantiles of the sample`
    default:
      return unreachable(shape)
  }
}

function quotaWords({
  callsPerMinute,
  perTask,
  burst,
  refill,
  when,
}: ShapeFacts<typeof quota>): string {
  const how = [
    `${perMinuteText(callsPerMinute)}, ${plural(perTask, 'call')} in each task`,
    refill === 'window' ? 'by the minute' : [],
    burst === 1 ? [] : `${burst} at once after a pause`,
    when === 'retry' ? 'refused calls retry' : [],
  ].flat()
  return how.join(', ')
}

/** A rate as a profile writes it: `90/m`. */
export function perMinuteText(rate: number): string {
  return rate >= 1 ? `${toDigits(rate, 4)}/m` : `${toDigits(60 * rate, 4)}/h`
}

function quotaWaits({ waited, tasks }: { waited: number; tasks: number }): string {
  return `${formatCount(waited)} of ${plural(tasks, 'task')} waited for it, by the ledger`
}

function slowedWords({ slowed, tasks }: { slowed: number; tasks: number }): string {
  return `${formatCount(slowed)} of ${plural(tasks, 'task was', 'tasks were')} slowed down, by the ledger`
}

function limitWords({ kind, probability }: Omit<ShapeFacts<typeof limited>, 'operation'>): string {
  if (kind === 'unknown') return 'a limit of no known kind, by the study of limits'
  return `${kind}, probability ${threeDigits(probability)}, by the study of limits`
}
