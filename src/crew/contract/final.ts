/**
 * Rules for final states; polls after the end (confirmations) are what can violate most of them.
 */
import { excerptOf } from '../excerpt.ts'
import { ANSWERED } from './http.ts'
import { resultOf } from './history.ts'
import type { StatusRule } from './rule.ts'

/** The interface names no id in a status answer; deployments that do, use one of these. */
const ID_KEYS = ['kickoff_id', 'execution_id', 'kickoffId', 'executionId'] as const

export const FINAL_RULES: readonly StatusRule[] = [
  {
    name: 'terminal-state-is-final',
    operation: 'status',
    dialect: 'both',
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
    operation: 'status',
    dialect: 'both',
    phases: ['completed', 'failed'],
    basis: 'assumed',
    source: 'Retention is not shown; a result that was read must not change',
    contradicts: 'end',
    requires: 'The result or error of an ended execution stays the same',
    broken: ({ observed, history: { final } }) =>
      final === null || observed.phase !== final.phase || resultOf(observed) === final.result
        ? undefined
        : 'the result differs from the first one',
  },
  {
    name: 'execution-time-is-stable',
    operation: 'status',
    dialect: 'both',
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
    operation: 'status',
    dialect: 'both',
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
    operation: 'status',
    dialect: 'both',
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
