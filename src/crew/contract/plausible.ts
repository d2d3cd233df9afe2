/**
 * Rules for ends that contradict what the client saw before: all assumed, for the interface says
 * nothing of them.
 */
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_SECOND, formatDuration } from '../../base/units.ts'
import type { StatusHistory } from './history.ts'
import type { StatusRule, StatusSeen } from './rule.ts'

/**
 * Differences below this are rounding, parallel tasks or another notion of what counts: a factor
 * and some seconds.
 */
const FACTOR = 2
const MARGIN_SECONDS = 2

/** No crew asks a model and ends within this. */
const NO_TIME_SECONDS = 0.01
const LONG_ENOUGH_SECONDS = 1

export const PLAUSIBLE_RULES: readonly StatusRule[] = [
  {
    name: 'execution-time-not-too-long',
    operation: 'status',
    dialect: 'both',
    phases: ['completed', 'failed'],
    basis: 'assumed',
    source: '2.3 and 2.5: the total time, which lies between the kickoff and the end',
    contradicts: 'course',
    requires: 'The execution time is not far longer than the time since the kickoff was sent',
    broken: ({ answer, observed: { executionTimeSeconds: told }, history }) => {
      const { final, kickoffSentMicros: sent } = history
      if (final !== null || told === null || sent === null) return undefined
      const seenMicros = answer.timing.doneMicros - sent
      return told > FACTOR * seconds(seenMicros) + MARGIN_SECONDS
        ? `${told} s, ${formatDuration(seenMicros)} after the kickoff was sent`
        : undefined
    },
  },
  {
    name: 'execution-time-not-too-short',
    operation: 'status',
    dialect: 'both',
    phases: ['completed', 'failed'],
    basis: 'assumed',
    source: '2.3 and 2.5: the total time, of which the client watched a part',
    contradicts: 'course',
    requires: 'The execution time is not far shorter than the execution was seen at work',
    broken: ({ observed: { executionTimeSeconds: told }, history }) => {
      if (history.final !== null || told === null || told < 0) return undefined
      const workedMicros = between(history.progressSinceMicros, history)
      if (seconds(workedMicros) > FACTOR * told + MARGIN_SECONDS) {
        return `${told} s, seen at its tasks for ${formatDuration(workedMicros)}`
      }
      const watchedMicros = between(history.runningSinceMicros, history)
      return told < NO_TIME_SECONDS && seconds(watchedMicros) > LONG_ENOUGH_SECONDS
        ? `${told} s, seen running for ${formatDuration(watchedMicros)}`
        : undefined
    },
  },
  {
    name: 'completion-shows-work',
    operation: 'status',
    dialect: 'both',
    phases: ['completed'],
    basis: 'assumed',
    source: 'Crews are reported that complete at once, without having done anything',
    contradicts: 'course',
    requires: 'An execution that was never seen running completes with an output',
    broken: (seen) =>
      isIdle(seen) ? 'completed at the first look, with an empty output' : undefined,
  },
]

function isIdle({ observed, history }: StatusSeen): boolean {
  const unseen = history.final === null && history.runningUntilMicros === null
  return unseen && observed.output !== null && observed.output.trim() === ''
}

/** From that answer to the last poll that still saw it running; 0 where there was none. */
function between(sinceMicros: Micros | null, { runningUntilMicros }: StatusHistory): Micros {
  if (sinceMicros === null || runningUntilMicros === null) return 0
  return Math.max(0, runningUntilMicros - sinceMicros)
}

function seconds(micros: Micros): number {
  return micros / MICROS_PER_SECOND
}
