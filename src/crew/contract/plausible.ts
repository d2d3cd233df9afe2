/**
 * Rules for ends that contradict what the client saw before: all assumed, because the interface
 * does not mention them.
 */
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_SECOND, formatDuration } from '../../base/units.ts'
import type { StatusHistory } from './history.ts'
import type { StatusRule, StatusSeen } from './rule.ts'

/**
 * Smaller differences are rounding, parallel tasks or another definition of the time: a factor and
 * some seconds.
 */
const FACTOR = 2
const MARGIN_SECONDS = 2

/** No crew that calls a model ends within this time. */
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
    requires: 'The execution time is not much longer than the time since the kickoff was sent',
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
    source: '2.3 and 2.5: the total time; the client observed a part of it',
    contradicts: 'course',
    requires:
      'The execution time is not much shorter than the time for which the execution ' +
      'was seen working',
    broken: ({ observed: { executionTimeSeconds: told }, history }) => {
      if (history.final !== null || told === null || told < 0) return undefined
      const workedMicros = between(history.progressSinceMicros, history)
      if (seconds(workedMicros) > FACTOR * told + MARGIN_SECONDS) {
        return `${told} s, seen working on its tasks for ${formatDuration(workedMicros)}`
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
    source: 'Crews have been reported that complete immediately without doing anything',
    contradicts: 'course',
    requires: 'An execution that was never seen running completes with an output',
    broken: (seen) =>
      isIdle(seen) ? 'completed at the first poll, with an empty output' : undefined,
  },
]

function isIdle({ observed, history }: StatusSeen): boolean {
  const unseen = history.final === null && history.runningUntilMicros === null
  return unseen && observed.output !== null && observed.output.trim() === ''
}

/** The time from that answer to the last poll that still saw it running; 0 if there was none. */
function between(sinceMicros: Micros | null, { runningUntilMicros }: StatusHistory): Micros {
  if (sinceMicros === null || runningUntilMicros === null) return 0
  return Math.max(0, runningUntilMicros - sinceMicros)
}

function seconds(micros: Micros): number {
  return micros / MICROS_PER_SECOND
}
