/** What is worth knowing beside the answer. */
import type { Finding } from '../../../result/document.ts'
import { formatCount, formatMs, formatValue, plural } from '../../../result/metrics/format.ts'
import { MICROS_PER_MS, threeDigits } from '../../../base/units.ts'
import { lapseFindings } from '../../frame/time-lapse.ts'
import type { PollingDocument } from '../document.ts'
import { assumptionWords } from './assumption.ts'
import { medianOf } from './connections.ts'
import type { Learned } from './learned.ts'
import type { Recording } from './replay/recording.ts'

type Facts = Pick<
  PollingDocument,
  'source' | 'recommended' | 'current' | 'retryAfter' | 'ended' | 'wish'
> & {
  recording: Recording
  doubted: Learned['doubted']
  crews: Learned['crews']
  loads: Learned['loads']
  speed: number
  /** Share of the ends that the recommended strategy does not see before the deadline. */
  missedShare: number
}

/** A scenario holds the times that `--speed` divides. */
const PASTED =
  'All figures here are wall times. Settings and loops have the times of the scenario file, ' +
  'which --speed divides'

export function findingsOf(facts: Facts): Finding[] {
  return [
    ...partial(facts),
    ...assumed(facts),
    ...untrusted(facts),
    ...mixed(facts),
    ...unequal(facts),
    ...unread(facts),
    ...obeyed(facts),
    ...coarse(facts),
    ...connections(facts),
    ...ofTarget(facts),
    ...longer(facts),
    ...unended(facts),
    ...tooLate(facts),
    ...lapseFindings(facts.speed, PASTED),
  ]
}

/** An answer, though not from all executions that were to be recorded. */
function partial({ ended, recommended, source }: Facts): Finding[] {
  if (recommended === null || source.kind === 'runs') return []
  const seen = plural(source.executions, 'execution')
  switch (ended) {
    case 'interrupted':
      return [
        {
          severity: 'warning',
          message:
            `interrupted: the answer rests on the ${seen} recorded before; ` +
            'crewload resume records the others',
        },
      ]
    case 'budget':
      return [
        { severity: 'info', message: `the budget ended the run: the answer rests on ${seen}` },
      ]
    default:
      return []
  }
}

/** What would make a quota that was found too high. */
function assumed({ wish }: Facts): Finding[] {
  const message = assumptionWords(wish)
  return message === null ? [] : [{ severity: 'info', message }]
}

/** Ends lie between polls as they were sent, however late; what a late machine measured is not. */
function untrusted({ doubted }: Facts): Finding[] {
  return doubted.map(({ run, why }) => ({
    severity: 'warning',
    message:
      `${run} was INVALID (${why}) and is used all the same: ends still lie between the polls ` +
      'as they were sent, but what requests took, the delays of today and the rate of ' +
      'arrivals may be wrong; record a VALID run before you rely on the answer',
  }))
}

/** Crews that take different times are polled by different strategies. */
function mixed({ crews }: Facts): Finding[] {
  if (crews.length < 2) return []
  return [
    {
      severity: 'warning',
      message:
        `the runs are of different crews (${crews.join(', ')}), and the answer is for all of ` +
        'their executions together: give runs of one crew',
    },
  ]
}

/** Standard errors by which rates of Poisson arrivals differ for more than chance. */
const BEYOND_CHANCE = 3

/** A quota that the mean load keeps may be exceeded at the highest. */
function unequal({ loads, wish, recording: { arrivalsPerSecond } }: Facts): Finding[] {
  const rising = loads.toSorted((a, b) => a.perSecond - b.perSecond)
  const [least, most] = [rising[0], rising.at(-1)]
  if (wish.maxPolls === null || arrivalsPerSecond === null) return []
  if (least === undefined || most === undefined) return []
  const error = Math.sqrt(1 / least.executions + 1 / most.executions)
  if (Math.log(most.perSecond / least.perSecond) <= BEYOND_CHANCE * error) return []
  const [low, high] = [threeDigits(least.perSecond), threeDigits(most.perSecond)]
  return [
    {
      severity: 'warning',
      message:
        `the runs have different loads, ${low} to ${high} arrivals a second: ${wish.maxPolls} is ` +
        `compared with their mean of ${threeDigits(arrivalsPerSecond)}, and may be exceeded at the ` +
        'highest; give runs of the expected load alone',
    },
  ]
}

/** Fewer change no figure. */
const UNREAD_SHARE = 0.01

/** Polls that told nothing: those that fail do so in the replay too, those refused do not. */
function unread({ recording }: Facts): Finding[] {
  const { failures, asked, hints } = recording
  const failed = shareOf(failures.failed, failures.polls)
  const refused = shareOf(asked.refused, asked.polls)
  const exhausted = shareOf(hints.exhausted, asked.polls)
  const messages: string[] = []
  if (failed > UNREAD_SHARE) {
    messages.push(
      `${formatValue(failed, 'share')} of the recorded polls failed: in the replay as many do, ` +
        'each by chance alone, and the next one comes as soon as it did; many that fail in a row ' +
        'would delay ends more',
    )
  }
  if (refused > UNREAD_SHARE) {
    messages.push(
      `${formatValue(refused, 'share')} of the recorded polls were refused with 429; the replay ` +
        'refuses none: crewload limits finds the rate that is safe, for --limits',
    )
  }
  if (exhausted > UNREAD_SHARE) {
    messages.push(
      `${formatValue(exhausted, 'share')} of the recorded polls were answered with nothing left ` +
        'of the quota, and the next one waited for it; the replay has no quota, so that a faster ' +
        'strategy looks better than it is: crewload limits finds the rate that is safe, for --limits',
    )
  }
  return messages.map((message) => ({ severity: 'warning', message }))
}

/** Hints are replayed for a policy that obeys them; what is recommended never does. */
function obeyed({ recording }: Facts): Finding[] {
  const { kickoff, polls } = recording.hints
  const waits = [...kickoff.waitsMicros, ...polls.waitsMicros]
  if (recording.current?.hint !== 'obey' || waits.length === 0) return []
  const share = formatValue(shareOf(waits.length, kickoff.answers + polls.answers), 'share')
  return [
    {
      severity: 'info',
      message:
        `${share} of the answers asked for a wait, ${formatMs(medianOf(waits) / MICROS_PER_MS)} ` +
        'in the median, which today’s polling obeys: its replay waits as often. The recommended ' +
        'strategy ignores such waits, as polling does without hint: obey',
    },
  ]
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

/** Ends that are known less well than the recommended delays are a guess. */
function coarse({ source, recommended }: Facts): Finding[] {
  const { endKnownWithinMs, truth } = source
  const delay = recommended?.detectionDelayMs ?? null
  if (truth === 'ledger' || endKnownWithinMs === null || delay === null) return []
  if (endKnownWithinMs <= delay.mean) return []
  return [
    {
      severity: 'warning',
      message:
        `true ends are known to within ${formatMs(endKnownWithinMs)} only, between two polls: ` +
        'delays below that are estimated as if ends came evenly; record with shorter intervals ' +
        'to know them better',
    },
  ]
}

/** Fewer than this share of handshakes are no cost. */
const FEW_FRESH = 0.05

function connections({ recommended, current }: Facts): Finding[] {
  const share = recommended?.freshShare ?? null
  if (recommended === null || share === null || share <= FEW_FRESH) return []
  const { handshakeMs } = recommended
  const cost = (handshakeMs ?? 0) === 0 ? '' : `, which takes ${formatMs(handshakeMs ?? 0)}`
  const now = current?.freshShare ?? null
  const today = now === null ? '' : ` (today ${formatValue(now, 'share')})`
  const polls = threeDigits(share * recommended.pollsPerExecution.value)
  return [
    {
      severity: 'info',
      message:
        `at these intervals ${formatValue(share, 'share')} of the polls${today} open a ` +
        `connection${cost}: ${polls} handshakes per execution`,
    },
  ]
}

function ofTarget({ retryAfter, recommended }: Facts): Finding[] {
  if (retryAfter === null || recommended === null) return []
  const { medianMs, pollsPerExecution: polls, detectionDelayMs: delay } = retryAfter
  if (delay === null || recommended.detectionDelayMs === null) return []
  const better =
    polls.value <= recommended.pollsPerExecution.value &&
    delay.mean <= recommended.detectionDelayMs.mean
  return [
    {
      severity: 'info',
      message:
        `the target asked for ${formatMs(medianMs)} between polls: following that takes ` +
        `${threeDigits(polls.value)} polls per execution, with the end known ` +
        `${formatMs(delay.mean)} late, which is ` +
        (better ? 'better in both' : 'no better in both'),
    },
  ]
}

/** Poll traffic that more than doubles with the execution time feeds back on a slow target. */
const STEEP = 2.2

function longer({ recommended }: Facts): Finding[] {
  if (recommended === null) return []
  const { pollsPerExecution, twiceAsLong } = recommended
  const factor = twiceAsLong.pollsPerExecution / pollsPerExecution.value
  if (factor <= STEEP) return []
  return [
    {
      severity: 'warning',
      message:
        'when executions take twice as long, they are polled ' +
        `${formatCount(Number(factor.toPrecision(2)))} times as often: set a minimum polling ` +
        'interval if the target overloads easily',
    },
  ]
}

/** As many as a run may leave unserved. */
const FEW_UNENDED = 0.05

/** Those that the deadline cut are no part of the delays. */
function unended({ source: { never, executions, ended } }: Facts): Finding[] {
  if (never <= FEW_UNENDED * executions) return []
  return [
    {
      severity: 'warning',
      message:
        `${formatCount(never)} of ${plural(executions, 'execution')} ` +
        `(${formatValue(never / executions, 'share')}) did not end within their deadline: ` +
        `whichever way they are polled, their ends are not seen, and the delays come from ` +
        `the other ${formatCount(ended)}; allow a longer deadline`,
    },
  ]
}

/** Fewer are no reason to mend a deadline. */
const FEW_MISSED = 0.001
/** Executions. Less of one is no recorded end, but what is made of its neighbours. */
const LEAST_MISSED = 0.5

function tooLate({ missedShare, source: { ended } }: Facts): Finding[] {
  if (missedShare < FEW_MISSED || missedShare * ended < LEAST_MISSED) return []
  return [
    {
      severity: 'warning',
      message:
        `${formatValue(missedShare, 'share')} of the executions end so shortly before their ` +
        'deadline that no poll sees it, and count as stuck: allow a longer deadline',
    },
  ]
}
