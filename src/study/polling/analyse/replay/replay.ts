/**
 * One recorded execution replayed under another polling strategy: how many polls it takes, and how
 * late its end is known. The intervals are those of the scenario's own strategies, so that the
 * engine does what is predicted; one poll is outstanding at a time, and the next interval counts
 * from its answer.
 */
import { thinned } from '../../../../result/statistics/rising.ts'
import type { Random } from '../../../../base/random.ts'
import { fmix32 } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { PollFailures, Recording, WaitHints } from './recording.ts'
import { nextIntervalMicros } from '../../../../scenario/polling/index.ts'

/** One way in which a recorded execution may have gone. */
export interface Life {
  /** The end, counted from acceptance; Infinity for one that does not end. */
  endMicros: Micros
  deadlineMicros: Micros
  completionsMicros: readonly Micros[] | null
  /** When a push reports the end; missing for never. The client then stops polling. */
  pushedMicros?: Micros
}

export interface ReplayedPolls {
  polls: number
  /** True end to the last byte of what showed it, an answer or a push; null when nothing did. */
  delayMicros: Micros | null
}

/** How long polls take, which of them fail, and what answers ask for. */
export interface ReplayedTimes {
  /** The time that poll `poll` (from 0) of life `life` takes. */
  tookMicros(life: number, poll: number): Micros
  /**
   * Where poll `poll` of life `life` fails, and so shows nothing, the pause until the next one in
   * place of an interval; null where it is answered.
   */
  pauseMicros(life: number, poll: number): Micros | null
  /** The wait that its answer hints at, 0 without; poll -1 is the kickoff. */
  hintMicros(life: number, poll: number): Micros
}

/** A target looks at its clock half-way through a poll, as far as a client can know. */
const LOOK_SHARE = 0.5
/** No execution is polled more often: an interval of milliseconds over hours says no more. */
const MOST_POLLS = 20_000

/**
 * `life`: the number of the life, which picks its request times. `random` serves jitter alone.
 */
export function replayPolls(
  policy: PollingPolicy,
  { endMicros, deadlineMicros, completionsMicros, pushedMicros = Infinity }: Life,
  { requests, life, random }: { requests: ReplayedTimes; life: number; random: Random },
): ReplayedPolls {
  const pace = {
    intervals: 0,
    previousMicros: 0,
    elapsedMicros: 0,
    completedTasks: null as number | null,
  }
  const isObedient = policy.hint === 'obey'
  const sequence = sequenceOf(policy)
  let pauseMicros: Micros | null = null
  for (let polls = 0; polls < MOST_POLLS;) {
    const interval =
      pauseMicros ??
      sequence?.[Math.min(pace.intervals, sequence.length - 1)] ??
      nextIntervalMicros(policy, pace, random)
    const hintMicros = pauseMicros === null && isObedient ? requests.hintMicros(life, polls - 1) : 0
    const dueMicros = pace.elapsedMicros + Math.max(interval, hintMicros)
    if (pushedMicros <= dueMicros && pushedMicros < deadlineMicros) {
      return { polls, delayMicros: pushedMicros - endMicros }
    }
    if (dueMicros >= deadlineMicros) return { polls, delayMicros: null }
    if (pauseMicros === null) {
      pace.intervals++
      pace.previousMicros = interval
    }
    const tookMicros = requests.tookMicros(life, polls)
    pauseMicros = requests.pauseMicros(life, polls)
    const lookedMicros = dueMicros + LOOK_SHARE * tookMicros
    pace.elapsedMicros = dueMicros + tookMicros
    polls++
    if (pauseMicros !== null) continue
    if (lookedMicros >= endMicros) {
      return { polls, delayMicros: Math.min(pace.elapsedMicros, pushedMicros) - endMicros }
    }
    if (completionsMicros !== null) {
      pace.completedTasks = countUntil(completionsMicros, lookedMicros)
    }
  }
  return { polls: MOST_POLLS, delayMicros: null }
}

/**
 * The intervals in turn, of which the last repeats; null where chance or progress has a part in
 * them. Most polls of all replays are those of constant intervals, which need not be asked for.
 */
function sequenceOf(policy: PollingPolicy): readonly Micros[] | null {
  switch (policy.kind) {
    case 'fixed':
      return [policy.initialDelayMicros, policy.everyMicros]
    case 'schedule':
      return policy.intervalsMicros
    default:
      return null
  }
}

function countUntil(rising: readonly Micros[], atMicros: Micros): number {
  let count = 0
  while (count < rising.length && rising[count]! <= atMicros) count++
  return count
}

/** Most request times that are kept; more would change no figure. */
const KEPT_TIMES = 499

/**
 * Request times as they were measured, each as often as the others, in an order that depends on
 * nothing but the numbers of life and poll: strategies are compared under the same ones.
 * Polls fail by the same numbers.
 */
export function requestTimesOf({
  requestMicros,
  failures,
  hints,
}: Pick<Recording, 'requestMicros' | 'failures' | 'hints'>): ReplayedTimes {
  const kept = keptOf(requestMicros)
  return {
    tookMicros: (life, poll) => kept[(life * 193 + poll * 101) % kept.length] ?? 0,
    pauseMicros: pausesAfter(failures),
    hintMicros: hintsBeside(hints),
  }
}

/** Evenly by rank. */
function keptOf(measured: readonly Micros[]): readonly Micros[] {
  return thinned(
    measured.toSorted((a, b) => a - b),
    KEPT_TIMES,
  )
}

/** As many answers hint at a wait as did, each by chance alone. */
function hintsBeside(hints: WaitHints): ReplayedTimes['hintMicros'] {
  const kept = {
    kickoff: keptOf(hints.kickoff.waitsMicros),
    polls: keptOf(hints.polls.waitsMicros),
  }
  return (life, poll) => {
    const of = poll < 0 ? 'kickoff' : 'polls'
    const { answers, waitsMicros } = hints[of]
    const drawn = fmix32(fmix32(life + HINTS) ^ (poll + 1))
    if (drawn >= (waitsMicros.length / answers) * 2 ** 32) return 0
    return kept[of][fmix32(drawn) % kept[of].length] ?? 0
  }
}

/** Other numbers than those by which polls fail. */
const HINTS = 0x68_69

/** As many fail as did, none of them because another one failed. */
function pausesAfter({ polls, failed, pausesMicros }: PollFailures): ReplayedTimes['pauseMicros'] {
  const kept = keptOf(pausesMicros)
  if (failed === 0 || kept.length === 0) return () => null
  return (life, poll) => {
    const drawn = fmix32(fmix32(life + 1) ^ poll)
    return drawn < (failed / polls) * 2 ** 32 ? kept[fmix32(drawn) % kept.length]! : null
  }
}
