/**
 * What a saturation says: its findings, the doubts about its visits, the reasons of its verdict,
 * and the sentence of the verdict.
 */
import { z } from 'zod'
import { unreachable } from '../../base/assert.ts'
import {
  formatCount,
  formatMs,
  formatRough,
  formatShare,
  formatValue,
  inNumber,
  plural,
} from '../../base/numbers.ts'
import { inSentences } from '../../base/text.ts'
import type { FindingOf, ReasonOf } from '../../result/sentence-tables.ts'
import { finding, findingSchema, reason, reasonOf } from '../../result/sentence-tables.ts'
import type { Quantity } from '../../result/document.ts'
import { quantity } from '../../result/document.ts'
import { formatMetric } from '../../result/metrics/sentences.ts'
import { count, ms } from '../frame/envelope.ts'

/** The most visits of each rung. */
export const MOST_REPEATS = 20

const shareFact = z.number()
const bounded = { share: shareFact, bound: shareFact }

/** Why a visit does not count; `generator` alone: it counts as a lower bound. */
export const DOUBTS = {
  few: finding(
    'warning',
    { requests: count, windowMs: ms, needed: count },
    ({ requests, windowMs, needed }) =>
      `too few: ${plural(requests, 'request')} ended in ${formatMs(windowMs)}, ` +
      `${formatCount(needed)} needed`,
  ),
  short: finding(
    'warning',
    { windowMs: ms, neededMs: ms },
    ({ windowMs, neededMs }) =>
      `too short: its window lasted ${formatMs(windowMs)}, ${formatMs(neededMs)} needed`,
  ),
  errors: finding(
    'warning',
    bounded,
    ({ share, bound }) =>
      `${formatShare(share)} of the requests got no usable answer, bound ${formatShare(bound)}`,
  ),
  little: finding(
    'warning',
    { inUse: z.number(), connections: count },
    ({ inUse, connections }) =>
      `requests account for ${formatRough(inUse)} of ${plural(connections, 'connection')} ` +
      "(Little's law): the others were connecting, or lost requests",
  ),
  generator: finding(
    'info',
    bounded,
    ({ share, bound }) =>
      `this process was busy for ${formatShare(share)} of the time, bound ${formatShare(bound)}. ` +
      'The target may handle more',
  ),
  stolen: finding(
    'warning',
    bounded,
    ({ share, bound }) =>
      `other machines on this host took ${formatShare(share)} of the CPU time, bound ${formatShare(bound)}`,
  ),
}

export const doubt = findingSchema(DOUBTS)

const phases = { before: z.string(), after: z.string() }

export const FINDINGS = {
  'throughput-collapses': finding(
    'problem',
    { share: shareFact.describe('Of the ceiling'), connections: count, ceilingAt: count },
    ({ share, connections }) =>
      `Throughput collapses to ${formatShare(share)} of the ceiling with ` +
      plural(connections, 'connection'),
    ({ ceilingAt }) => `limit the connections in front of it to ${formatCount(ceilingAt)}`,
  ),
  'requests-fail': finding(
    'warning',
    { connections: count, errors: quantity, mostly: z.string() },
    ({ connections, errors, mostly }) =>
      `From ${plural(connections, 'connection')} on, requests fail: ${formatMetric(errors)}, most ` +
      `of them ${mostly}`,
  ),
  'visited-once': finding(
    'warning',
    {},
    () => 'Each rung was visited once: the intervals do not cover what another visit would measure',
  ),
  'connections-reopened': finding(
    'warning',
    { share: shareFact.describe('Of the requests') },
    ({ share }) => `${formatShare(share)} of the requests had to reopen their connection`,
    'raise the ceiling by keep-alive',
  ),
  'answers-mixed': finding(
    'warning',
    phases,
    ({ before, after }) =>
      `Before the ladder the polled execution was ${before}, after it ${after}: its answers may ` +
      'not all be of one kind',
  ),
}

const LOWER_BOUND = 'run crewload on a separate machine, or take the ceiling as a lower bound'
const LET_IT_FINISH = 'repeat, and let it finish'

/** The limit that ended the ladder: for a kickoff, the stricter of the two limits. */
const limit = z.enum(['kickoffs', 'requests'])
const limited = { limit: limit.describe('Which limit a larger budget would raise') }
const onRung = { connections: count, ...limited }
const visited = { repeats: count, rungMs: ms }
const CUTS = ['budget', 'interrupted', 'target'] as const
const last = {
  connections: count.describe('Of the last rung'),
  cut: z.enum(CUTS).nullable().describe('What ended the ladder; null if it ended by itself'),
  ...limited,
  repeats: count,
}

export const REASONS = {
  few: reason(
    { ...DOUBTS.few.facts, ...onRung },
    (own) => onRungWords(own, DOUBTS.few.says(own)),
    ({ limit: which }) => doubtRemedy('few', which),
  ),
  short: reason(
    { ...DOUBTS.short.facts, ...onRung },
    (own) => onRungWords(own, DOUBTS.short.says(own)),
    ({ limit: which }) => doubtRemedy('short', which),
  ),
  little: reason(
    { ...DOUBTS.little.facts, ...onRung },
    (own) => onRungWords(own, DOUBTS.little.says(own)),
    ({ limit: which }) => doubtRemedy('little', which),
  ),
  errors: reason(
    { ...DOUBTS.errors.facts, ...onRung },
    (own) => onRungWords(own, DOUBTS.errors.says(own)),
    ({ limit: which }) => doubtRemedy('errors', which),
  ),
  stolen: reason(
    { ...DOUBTS.stolen.facts, ...onRung },
    (own) => onRungWords(own, DOUBTS.stolen.says(own)),
    ({ limit: which }) => doubtRemedy('stolen', which),
  ),
  generator: reason({}, () => 'this process was saturated before the target was', LOWER_BOUND),
  complete: reason({}, () => 'no visit finished', LET_IT_FINISH),
  interrupted: reason({}, () => 'no visit finished before the interruption', LET_IT_FINISH),
  target: reason(
    {},
    () => 'no visit finished: the fake crew of this study ended unexpectedly',
    'restore the target; crewload resume makes the missing visits',
  ),
  budget: reason(limited, () => 'no visit finished: the budget is too small for one', moreBudget),
  precision: reason(
    { ...bounded, ...visited },
    (facts) => {
      const [share, bound] = [facts.share, facts.bound].map((each) =>
        formatValue(each, 'share', { step: 0.01 }),
      )
      return `the ceiling is known only within ${share}, bound ${bound}`
    },
    moreVisits,
  ),
  noisy: reason(
    visited,
    () => 'visits of one rung differ too much to say which one reaches the ceiling first',
    moreVisits,
  ),
  doubt: reason(
    { connections: count, doubt: doubt.nullable(), ...limited },
    ({ connections, doubt: own }) =>
      `no rung above ${plural(connections, 'connection')} can be trusted: ${own?.message ?? ''}`,
    ({ doubt: own, limit: which }) => (own === null ? '' : doubtRemedy(own.code, which)),
  ),
  open: reason(
    { ...last, shows: z.enum(['best', 'alone']) },
    ({ shows, ...facts }) =>
      `${lastWords(facts)} ${shows === 'best' ? 'was the best' : 'is the only one that counts'}` +
      ladderEndWords(facts),
    (facts) => goOn(facts) ?? climbOn(facts),
  ),
  unclear: reason(
    last,
    (facts) => `${lastWords(facts)} was the best, but not clearly${ladderEndWords(facts)}`,
    (facts) => goOn(facts) ?? `${climbOn(facts)} --repeats ${twiceAsMany(facts)}`,
  ),
  /** Our own fake crew has ended by now, and its executions with it. */
  mixed: reason(
    { ...phases, kickoffId: z.string().nullable().describe('Null for our own fake crew') },
    ({ before, after }) =>
      `the polled execution went from ${before} to ${after}, so that answers of both kinds count`,
    ({ kickoffId }) =>
      kickoffId === null
        ? 'start the fake crew separately (crewload fake), and poll an ended execution of it: ' +
          '--kickoff-id ID'
        : `poll this one again: --kickoff-id ${kickoffId}`,
  ),
}

type OnRung = z.infer<z.ZodObject<typeof onRung>>
type DoubtCode = keyof typeof DOUBTS
type Distrust = Exclude<FindingOf<typeof DOUBTS>, { code: 'generator' }>

/** Why a rung of `connections` does not count. */
export function distrustedBy(own: Distrust, rung: OnRung): ReasonOf<typeof REASONS> {
  const { code, severity: _, message: __, ...facts } = own
  return reasonOf(REASONS, code, { ...facts, ...rung })
}

/** `words`: the doubt because of which the rung does not count. */
function onRungWords({ connections }: OnRung, words: string): string {
  return `${plural(connections, 'connection')}: ${words}`
}

function doubtRemedy(code: DoubtCode, which: LimitSaid['limit']): string {
  switch (code) {
    case 'few':
      return 'repeat with longer visits (--duration), or a larger budget'
    case 'short':
      return `${moreBudget({ limit: which })}, or fewer rungs (--connections)`
    case 'little':
      return 'repeat; if it persists, the target closes connections without notice'
    case 'errors':
      return "see the errors: the target's limiter (429) is below this ladder, or the target is broken"
    case 'generator':
      return LOWER_BOUND
    case 'stolen':
      return 'repeat when this host is quiet, or on a machine with cores of its own'
    default:
      return unreachable(code)
  }
}

interface LimitSaid {
  limit: z.infer<typeof limit>
}

function moreBudget({ limit: which }: LimitSaid): string {
  return `repeat with a larger --max-${which}`
}

/** Four times as long, when there are as many visits as there can be. */
function moreVisits({ repeats, rungMs }: { repeats: number; rungMs: number }): string {
  const more =
    repeats < MOST_REPEATS
      ? `more visits: --repeats ${twiceAsMany({ repeats })}`
      : `longer visits: --duration ${(4 * rungMs) / 1_000}s`
  return `repeat with ${more}, on a quiet machine`
}

/** At least three: the t-interval between two is too wide to tell rungs apart. */
function twiceAsMany({ repeats }: { repeats: number }): number {
  return Math.min(MOST_REPEATS, Math.max(3, 2 * repeats))
}

export type LastRung = z.infer<z.ZodObject<typeof last>>

function lastWords({ connections }: LastRung): string {
  return `the last rung, ${plural(connections, 'connection')},`
}

function ladderEndWords({ cut }: LastRung): string {
  return cut === null ? '' : LADDER_ENDS[cut]
}

const LADDER_ENDS: Record<(typeof CUTS)[number], string> = {
  budget: ', and the budget had no room for the next',
  interrupted: ', and it was interrupted there',
  target: ', and the fake crew of this study ended there',
}

/** Null where the ladder ended by itself. */
function goOn({ cut, limit: which }: LastRung): string | null {
  if (cut === null) return null
  return cut === 'budget' ? moreBudget({ limit: which }) : LET_IT_FINISH
}

/** Two doublings further. */
function climbOn({ connections }: LastRung): string {
  return `continue the ladder: --connections ${4 * connections}`
}

/**
 * What bounds the ceiling. `flat`: more connections did not increase it. `errors`: more connections
 * caused errors. `generator`: this process was saturated. `rising`: the last rung surely was the
 * best; `unclear`: it was the best, but not surely; `noisy`: another one was, and none surely;
 * `single`: only one rung counts. `doubt`: no rung above the best can be trusted.
 */
export type CeilingBound =
  | 'flat'
  | 'errors'
  | 'generator'
  | 'rising'
  | 'unclear'
  | 'noisy'
  | 'single'
  | 'doubt'

interface BoundSaid {
  bound: CeilingBound
  widest: number
  knee: { from: number; to: number | null } | null
  errorsFrom: { connections: number } | null
  collapse: { connections: number } | null
}

/**
 * `rate`: the ceiling, as a count. `saturatedAt`: the connections with which this process was the
 * limit.
 */
export function verdictSentence(
  endpoint: string,
  rate: Quantity,
  how: 'at least ' | 'about ' | '',
  said: BoundSaid & { saturatedAt: number },
): string {
  return `${inSentences(`${endpoint} serves ${how}${formatMetric(rate)} answers per second`, kneeWords(said))}.`
}

export function unmeasuredSentence(endpoint: string, why: string): string {
  return `The ceiling of ${endpoint} could not be measured: ${why}.`
}

function kneeWords(said: BoundSaid & { saturatedAt: number }): string {
  const { bound, widest, errorsFrom, collapse } = said
  const at = plural(widest, 'connection')
  const beyond =
    collapse === null
      ? 'more, answers wait longer'
      : `${formatCount(collapse.connections)} throughput collapses`
  switch (bound) {
    case 'flat':
      return `${reachWords(said)}, and with ${beyond}`
    case 'errors':
      return `${reachWords(said)}, and with ${formatCount(errorsFrom?.connections ?? 0)} requests fail`
    case 'rising':
      return `with ${at}, the most tried, it was still rising`
    case 'unclear':
      return `it may still rise beyond ${at}, the most tried`
    case 'noisy':
      return reachWords(said)
    case 'single':
      return `the effect of more than ${at} is unknown`
    case 'generator':
      return (
        `with ${plural(said.saturatedAt, 'connection')} ` +
        'this process, not the target, was the limit'
      )
    case 'doubt':
      return `what happens above ${at} could not be measured`
    default:
      return unreachable(bound)
  }
}

/** `8 connections reach it`, or `it takes from 8 to 16 connections`, `8 connections or more`. */
function reachWords({ knee }: BoundSaid): string {
  const { from = 0, to = null } = knee ?? {}
  if (to === null) return `it takes ${plural(from, 'connection')} or more`
  if (from !== to) return `it takes from ${formatCount(from)} to ${plural(to, 'connection')}`
  return `${plural(to, 'connection')} ${inNumber(to, 'reaches', 'reach')} it`
}
