/** What is worth knowing beside the answer. */
import { upperMedian } from '../../../result/statistics/rising.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { FactsOf, FindingOf, FindingRule } from '../../../result/sentence-tables.ts'
import { findingsBy } from '../../../result/sentence-tables.ts'
import { lapseOf } from '../../frame/time-lapse.ts'
import type { PollingGoal } from '../document.ts'
import { FINDINGS } from '../sentences/findings.ts'
import type { PollingFacts } from './verdict.ts'

const RULES: readonly FindingRule<typeof FINDINGS, PollingFacts>[] = [
  ['interrupted', (facts) => cutShort(facts, 'interrupted')],
  ['budget-spent', (facts) => cutShort(facts, 'budget')],
  ['limits-assumed', ({ goal }) => assumptionOf(goal)],
  ['invalid-run', ({ learned: { doubted } }) => doubted],
  ['different-crews', ({ learned: { crews } }) => (crews.length < 2 ? null : { crews })],
  ['different-loads', unequal],
  ['polls-failed', failedPolls],
  ['polls-refused', refusedPolls],
  ['quota-used-up', exhaustedQuota],
  ['waits-obeyed', obeyed],
  ['ends-coarse', coarse],
  ['handshakes', connections],
  ['retry-after', ofTarget],
  ['polls-grow', longer],
  ['past-deadline', unended],
  ['ends-missed', tooLate],
  ['time-lapse', ({ learned: { speed } }) => lapseOf(speed)],
]

export function findingsOf(facts: PollingFacts): FindingOf<typeof FINDINGS>[] {
  return findingsBy(FINDINGS, RULES, facts)
}

/** An answer from less than the whole run. */
function cutShort(
  { ended, answer: { recommended }, source: { kind, executions } }: PollingFacts,
  by: PollingFacts['ended'],
) {
  return recommended === null || kind === 'runs' || ended !== by ? null : { executions }
}

/** Standard errors by which rates of Poisson arrivals differ for more than chance. */
const BEYOND_CHANCE = 3

/** A quota that the mean load keeps may be exceeded at the highest. */
function unequal({ learned, source: { kind }, goal: { quota } }: PollingFacts) {
  const { loads, arrivalsPerSecond } = learned.recording
  const rising = loads.toSorted((a, b) => a.perSecond - b.perSecond)
  const [least, most] = [rising[0], rising.at(-1)]
  if (kind !== 'runs' || quota === null || arrivalsPerSecond === null) return null
  if (least === undefined || most === undefined) return null
  const error = Math.sqrt(1 / least.executions + 1 / most.executions)
  if (Math.log(most.perSecond / least.perSecond) <= BEYOND_CHANCE * error) return null
  return {
    leastPerSecond: least.perSecond,
    mostPerSecond: most.perSecond,
    meanPerSecond: arrivalsPerSecond,
    quota: quota.text,
  }
}

/** Fewer change no figure. */
const UNREAD_SHARE = 0.01

/** Null for so few of the polls that no figure changes. */
function unread(part: number, whole: number) {
  const share = shareOf(part, whole)
  return share > UNREAD_SHARE ? { share } : null
}

/** Polls that fail do so in the replay too. */
function failedPolls({ learned: { recording } }: PollingFacts) {
  const { failures } = recording
  return unread(failures.failed, failures.polls)
}

function refusedPolls({ learned: { recording } }: PollingFacts) {
  const { asked } = recording
  return unread(asked.refused, asked.polls)
}

function exhaustedQuota({ learned: { recording } }: PollingFacts) {
  const { hints, asked } = recording
  return unread(hints.exhausted, asked.polls)
}

/** Hints are replayed for a policy that obeys them; what is recommended never does. */
function obeyed({ learned: { recording } }: PollingFacts) {
  const { kickoff, polls } = recording.hints
  const waits = [...kickoff.waitsMicros, ...polls.waitsMicros]
  if (recording.current?.hint !== 'obey' || waits.length === 0) return null
  const share = shareOf(waits.length, kickoff.answers + polls.answers)
  return { share, medianMs: upperMedian(waits) / MICROS_PER_MS }
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

/** Ends that are known less well than the recommended delays are a guess. */
function coarse({
  source: { endKnownWithinMs: within, truth },
  answer: { recommended },
}: PollingFacts) {
  const delay = recommended?.detectionDelayMs ?? null
  if (truth === 'ledger' || within === null || delay === null || within <= delay.mean) return null
  return { knownWithinMs: within }
}

/** Fewer than this share of handshakes are no cost. */
const FEW_FRESH = 0.05

function connections({ answer: { recommended, current } }: PollingFacts) {
  const share = recommended?.freshShare ?? null
  if (recommended === null || share === null || share <= FEW_FRESH) return null
  return {
    share,
    todayShare: current?.freshShare ?? null,
    handshakeMs: recommended.handshakeMs,
    perExecution: share * recommended.pollsPerExecution.value,
  }
}

function ofTarget({ answer: { retryAfter, recommended } }: PollingFacts) {
  if (retryAfter === null || recommended === null) return null
  const { medianMs, pollsPerExecution: polls, detectionDelayMs: delay } = retryAfter
  if (delay === null || recommended.detectionDelayMs === null) return null
  const better =
    polls.value <= recommended.pollsPerExecution.value &&
    delay.mean <= recommended.detectionDelayMs.mean
  return { medianMs, pollsPerExecution: polls.value, delayMs: delay.mean, better }
}

/** Poll traffic that more than doubles with the execution time feeds back on a slow target. */
const STEEP = 2.2

function longer({ answer: { recommended } }: PollingFacts) {
  if (recommended === null) return null
  const { pollsPerExecution, twiceAsLong } = recommended
  const factor = twiceAsLong.pollsPerExecution / pollsPerExecution.value
  return factor <= STEEP ? null : { factor }
}

/** As many as a run may leave unserved. */
const FEW_UNENDED = 0.05

/** Those that the deadline cut are no part of the delays. */
function unended({ source: { never, executions } }: PollingFacts) {
  return never <= FEW_UNENDED * executions ? null : { never, executions }
}

/** Fewer are no reason to change a deadline. */
const FEW_MISSED = 0.001
/** Executions. Less of one is no recorded end, but what is made of its neighbours. */
const LEAST_MISSED = 0.5

function tooLate({ choice, source: { ended } }: PollingFacts) {
  const share = choice?.best?.value.missedShare ?? 0
  return share < FEW_MISSED || share * ended < LEAST_MISSED ? null : { share }
}

/** What a quota that a study of limits has found rests on. Null for one that was stated. */
export function assumptionOf({
  quota,
}: PollingGoal): FactsOf<(typeof FINDINGS)['limits-assumed']> | null {
  return quota?.limits == null ? null : { quota: quota.text, ...quota.limits }
}
