/** What is worth knowing beside the answer. */
import { upperMedian } from '../../../result/statistics/rising.ts'
import { formatCount, formatMs, formatValue, plural, threeDigits } from '../../../base/numbers.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { FindingOf, FindingRule } from '../../frame/findings.ts'
import { findingsBy } from '../../frame/findings.ts'
import { lapseNote } from '../../frame/time-lapse.ts'
import type { Wish } from '../document.ts'
import { FINDINGS } from '../document.ts'
import type { PollingFacts } from './verdict.ts'

/** A scenario holds the times that `--speed` divides. */
const PASTED =
  'All figures here are wall times. Settings and loops have the times of the scenario file, ' +
  'which --speed divides'

const RULES: readonly FindingRule<typeof FINDINGS, PollingFacts>[] = [
  ['interrupted', interrupted],
  ['budget-spent', budgetSpent],
  ['limits-assumed', ({ wish }) => assumptionWords(wish)],
  ['invalid-run', untrusted],
  ['different-crews', mixed],
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
  ['time-lapse', ({ learned: { speed } }) => lapseNote(speed, PASTED)],
]

export function findingsOf(facts: PollingFacts): FindingOf<typeof FINDINGS>[] {
  return findingsBy(FINDINGS, RULES, facts)
}

function interrupted({ ended, answer: { recommended }, source }: PollingFacts): string | null {
  if (recommended === null || source.kind === 'runs' || ended !== 'interrupted') return null
  return `interrupted after ${plural(source.executions, 'execution')}`
}

function budgetSpent({ ended, answer: { recommended }, source }: PollingFacts): string | null {
  if (recommended === null || source.kind === 'runs' || ended !== 'budget') return null
  return `the budget ended the run after ${plural(source.executions, 'execution')}`
}

/** Ends lie between polls as they were sent, however late; what a late machine measured is not. */
function untrusted({ learned: { doubted } }: PollingFacts): string[] {
  return doubted.map(
    ({ run, why }) =>
      `${run} was INVALID (${why}): the ends in it hold, its request times and rates may not`,
  )
}

/** Crews that take different times are polled by different strategies. */
function mixed({ learned: { crews } }: PollingFacts): string | null {
  if (crews.length < 2) return null
  return `the runs are of different crews (${crews.join(', ')})`
}

/** Standard errors by which rates of Poisson arrivals differ for more than chance. */
const BEYOND_CHANCE = 3

/** A quota that the mean load keeps may be exceeded at the highest. */
function unequal({ learned, source: { kind }, wish: { quota } }: PollingFacts): string | null {
  const { loads, arrivalsPerSecond } = learned.recording
  const rising = loads.toSorted((a, b) => a.perSecond - b.perSecond)
  const [least, most] = [rising[0], rising.at(-1)]
  if (kind !== 'runs' || quota === null || arrivalsPerSecond === null) return null
  if (least === undefined || most === undefined) return null
  const error = Math.sqrt(1 / least.executions + 1 / most.executions)
  if (Math.log(most.perSecond / least.perSecond) <= BEYOND_CHANCE * error) return null
  const [low, high] = [threeDigits(least.perSecond), threeDigits(most.perSecond)]
  return (
    `the runs have different loads (${low} to ${high} arrivals/s), and ${quota.text} is checked ` +
    `at their mean of ${threeDigits(arrivalsPerSecond)}`
  )
}

/** Fewer change no figure. */
const UNREAD_SHARE = 0.01

/** The share of the polls as text; null for so few that no figure changes. */
function unreadShare(part: number, whole: number): string | null {
  const share = shareOf(part, whole)
  return share > UNREAD_SHARE ? `${formatValue(share, 'share')} of the recorded polls` : null
}

/** Polls that fail do so in the replay too. */
function failedPolls({ learned: { recording } }: PollingFacts): string | null {
  const { failures } = recording
  const share = unreadShare(failures.failed, failures.polls)
  if (share === null) return null
  return `${share} failed, and as many fail in the replay, by chance: failures in a row would delay more`
}

function refusedPolls({ learned: { recording } }: PollingFacts): string | null {
  const { asked } = recording
  const share = unreadShare(asked.refused, asked.polls)
  return share === null ? null : `${share} were refused with 429; the replay refuses none`
}

function exhaustedQuota({ learned: { recording } }: PollingFacts): string | null {
  const { hints, asked } = recording
  const share = unreadShare(hints.exhausted, asked.polls)
  if (share === null) return null
  return `${share} found the quota used up; the replay has none, so fast polling looks too good`
}

/** Hints are replayed for a policy that obeys them; what is recommended never does. */
function obeyed({ learned: { recording } }: PollingFacts): string | null {
  const { kickoff, polls } = recording.hints
  const waits = [...kickoff.waitsMicros, ...polls.waitsMicros]
  if (recording.current?.hint !== 'obey' || waits.length === 0) return null
  const share = formatValue(shareOf(waits.length, kickoff.answers + polls.answers), 'share')
  const median = formatMs(upperMedian(waits) / MICROS_PER_MS)
  return (
    `${share} of the answers asked for a wait, ${median} in the median, which today’s polling ` +
    'obeys; the recommended strategy ignores it'
  )
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

/** Ends that are known less well than the recommended delays are a guess. */
function coarse({
  source: { endKnownWithinMs: within, truth },
  answer: { recommended },
}: PollingFacts): string | null {
  const delay = recommended?.detectionDelayMs ?? null
  if (truth === 'ledger' || within === null || delay === null || within <= delay.mean) return null
  return `ends are known to within ${formatMs(within)} only, so shorter delays are estimates`
}

/** Fewer than this share of handshakes are no cost. */
const FEW_FRESH = 0.05

function connections({ answer: { recommended, current } }: PollingFacts): string | null {
  const share = recommended?.freshShare ?? null
  if (recommended === null || share === null || share <= FEW_FRESH) return null
  const { handshakeMs } = recommended
  const cost = (handshakeMs ?? 0) === 0 ? '' : `, which takes ${formatMs(handshakeMs ?? 0)}`
  const now = current?.freshShare ?? null
  const today = now === null ? '' : ` (today ${formatValue(now, 'share')})`
  const polls = threeDigits(share * recommended.pollsPerExecution.value)
  return (
    `at these intervals ${formatValue(share, 'share')} of the polls${today} open a ` +
    `connection${cost}: ${polls} handshakes per execution`
  )
}

function ofTarget({ answer: { retryAfter, recommended } }: PollingFacts): string | null {
  if (retryAfter === null || recommended === null) return null
  const { medianMs, pollsPerExecution: polls, detectionDelayMs: delay } = retryAfter
  if (delay === null || recommended.detectionDelayMs === null) return null
  const better =
    polls.value <= recommended.pollsPerExecution.value &&
    delay.mean <= recommended.detectionDelayMs.mean
  return (
    `the target asked for ${formatMs(medianMs)} between polls: that takes ` +
    `${threeDigits(polls.value)} polls, the end known ${formatMs(delay.mean)} late, ` +
    (better ? 'better in both' : 'no better in both')
  )
}

/** Poll traffic that more than doubles with the execution time feeds back on a slow target. */
const STEEP = 2.2

function longer({ answer: { recommended } }: PollingFacts): string | null {
  if (recommended === null) return null
  const { pollsPerExecution, twiceAsLong } = recommended
  const factor = twiceAsLong.pollsPerExecution / pollsPerExecution.value
  if (factor <= STEEP) return null
  return (
    'executions that take twice as long are polled ' +
    `${formatCount(Number(factor.toPrecision(2)))} times as often`
  )
}

/** As many as a run may leave unserved. */
const FEW_UNENDED = 0.05

/** Those that the deadline cut are no part of the delays. */
function unended({ source: { never, executions } }: PollingFacts): string | null {
  if (never <= FEW_UNENDED * executions) return null
  return (
    `${formatCount(never)} of ${plural(executions, 'execution')} ` +
    `(${formatValue(never / executions, 'share')}) did not end within their deadline, and no ` +
    'polling sees them'
  )
}

/** Fewer are no reason to change a deadline. */
const FEW_MISSED = 0.001
/** Executions. Less of one is no recorded end, but what is made of its neighbours. */
const LEAST_MISSED = 0.5

function tooLate({ choice, source: { ended } }: PollingFacts): string | null {
  const missedShare = choice?.best?.value.missedShare ?? 0
  if (missedShare < FEW_MISSED || missedShare * ended < LEAST_MISSED) return null
  return (
    `${formatValue(missedShare, 'share')} of the executions end so shortly before their ` +
    'deadline that no poll sees it'
  )
}

/** What a quota that a study of limits has found rests on. Null for one that was stated. */
export function assumptionWords({ quota }: Wish): string | null {
  if (quota?.limits == null) return null
  const { source, target, assumed } = quota.limits
  return `${quota.text} is the safe rate of status at ${target} (${source}); it assumes ${assumed}`
}
