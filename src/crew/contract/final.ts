/**
 * Rules for ends: final states, which polls after the end (confirmations) can violate, and ends
 * that contradict what the client saw before.
 */
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import { formatDuration } from '../../base/numbers.ts'
import { excerptOf } from '../excerpt.ts'
import { ANSWERED } from './http.ts'
import type { StatusHistory } from './history.ts'
import { resultFingerprint } from './history.ts'
import type { StatusRule, StatusSeen } from './rule.ts'

/** The interface names no id in a status answer; deployments that do, use one of these. */
const ID_KEYS = ['kickoff_id', 'execution_id', 'kickoffId', 'executionId'] as const

export const FINAL_RULES: readonly StatusRule[] = [
  {
    name: 'terminal-state-is-final',
    phases: ANSWERED,
    basis: 'assumed',
    source:
      'Transitions are not shown; polling until completed or error (section 1) ' +
      'requires a final state',
    contradicts: 'end',
    requires: 'A completed or failed execution stays completed or failed',
    broken: ({ observed, history: { final } }) =>
      final === null || observed.phase === 'unreadable' || observed.phase === final.phase
        ? undefined
        : `${final.phase}, then ${observed.phase}`,
  },
  {
    name: 'result-is-stable',
    phases: ['completed', 'failed'],
    basis: 'assumed',
    source: 'Retention is not shown; a result that was read must not change',
    contradicts: 'end',
    requires: 'The result or error of an ended execution stays the same',
    broken: ({ observed, history: { final } }) =>
      final === null ||
      observed.phase !== final.phase ||
      resultFingerprint(observed) === final.result
        ? undefined
        : 'the result differs from the first one',
  },
  {
    name: 'execution-time-is-stable',
    phases: ['completed', 'failed'],
    basis: 'assumed',
    source: '2.3 and 2.5: the total time of an ended execution, or its time until the failure',
    contradicts: 'end',
    requires: 'The execution time of an ended execution stays the same',
    broken: ({ observed, history: { final } }) =>
      final === null ||
      observed.phase !== final.phase ||
      observed.executionTimeSeconds === final.executionTimeSeconds
        ? undefined
        : `${final.executionTimeSeconds} s, then ${observed.executionTimeSeconds} s`,
  },
  {
    name: 'status-is-of-its-execution',
    phases: ANSWERED,
    basis: 'documented',
    source: '4.1: the current status of the execution that the path names',
    contradicts: 'course',
    requires: 'A status answer that names an execution names the one that was asked about',
    broken: ({ observed: { body }, history: { kickoffId } }) => {
      const key = ID_KEYS.find((each) => isOtherId(body?.[each], kickoffId))
      return key === undefined ? undefined : `${key}: ${excerptOf(body?.[key])}`
    },
  },
  {
    name: 'one-dialect',
    phases: ANSWERED,
    basis: 'assumed',
    source: 'Clients read either status or state',
    contradicts: 'course',
    requires: 'All answers about one execution use the same dialect',
    broken: ({ observed, history }) => {
      if (observed.dialect === 'mixed') return 'status and state in one answer'
      return observed.dialect === null ||
        history.dialect === null ||
        history.dialect === 'mixed' ||
        observed.dialect === history.dialect
        ? undefined
        : `${history.dialect}, then ${observed.dialect}`
    },
  },
]

/** An id is opaque, but that of a UUID is the same in capitals. */
function isOtherId(value: unknown, kickoffId: string | null): boolean {
  if (kickoffId === null || (typeof value !== 'string' && typeof value !== 'number')) return false
  return String(value).toLowerCase() !== kickoffId.toLowerCase()
}

/**
 * Smaller differences are rounding, parallel tasks or another definition of the time: a factor and
 * some seconds.
 */
const FACTOR = 2
const MARGIN_SECONDS = 2

/** No crew that calls a model ends within this time. */
const NO_TIME_SECONDS = 0.01
const LONG_ENOUGH_SECONDS = 1

/** Ends that contradict what the client saw before. */
export const PLAUSIBLE_RULES: readonly StatusRule[] = [
  {
    name: 'execution-time-not-too-long',
    phases: ['completed', 'failed'],
    basis: 'assumed',
    source: '2.3 and 2.5: the total time, which lies between the kickoff and the end',
    contradicts: 'course',
    requires: 'The execution time is not much longer than the time since the kickoff was sent',
    broken: ({ answer, observed: { executionTimeSeconds: reported }, history }) => {
      const { final, kickoffSentMicros: sent } = history
      if (final !== null || reported === null || sent === null) return undefined
      const seenMicros = answer.timing.doneMicros - sent
      return reported > FACTOR * seconds(seenMicros) + MARGIN_SECONDS
        ? `${reported} s, ${formatDuration(seenMicros)} after the kickoff was sent`
        : undefined
    },
  },
  {
    name: 'execution-time-not-too-short',
    phases: ['completed', 'failed'],
    basis: 'assumed',
    source: '2.3 and 2.5: the total time; the client observed a part of it',
    contradicts: 'course',
    requires:
      'The execution time is not much shorter than the time for which the execution ' +
      'was seen working',
    broken: ({ observed: { executionTimeSeconds: reported }, history }) => {
      if (history.final !== null || reported === null || reported < 0) return undefined
      const workedMicros = between(history.progressSinceMicros, history)
      if (seconds(workedMicros) > FACTOR * reported + MARGIN_SECONDS) {
        return `${reported} s, seen working on its tasks for ${formatDuration(workedMicros)}`
      }
      const watchedMicros = between(history.runningSinceMicros, history)
      return reported < NO_TIME_SECONDS && seconds(watchedMicros) > LONG_ENOUGH_SECONDS
        ? `${reported} s, seen running for ${formatDuration(watchedMicros)}`
        : undefined
    },
  },
  {
    name: 'completion-shows-work',
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
