/** Rules for final states; polls after the end (confirmations) are what can break most of them. */
import { ANSWERED } from './http.ts'
import { resultOf } from './history.ts'
import type { StatusRule } from './rule.ts'

export const FINAL_RULES: readonly StatusRule[] = [
  {
    name: 'terminal-state-is-final',
    operation: 'status',
    dialect: 'both',
    phases: ANSWERED,
    basis: 'assumed',
    source: 'Transitions: not shown; polling until completed or error (section 1) needs an end',
    contradicts: 'end',
    requires: 'An execution that was completed or failed stays so',
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
    source: 'Retention: not shown; a result that was read must not change',
    contradicts: 'end',
    requires: 'The result of an ended execution, or its error, stays the same',
    broken: ({ observed, history: { final } }) =>
      final === null || observed.phase !== final.phase || resultOf(observed) === final.result
        ? undefined
        : 'another result than at first',
  },
  {
    name: 'execution-time-is-stable',
    operation: 'status',
    dialect: 'both',
    phases: ['completed', 'failed'],
    basis: 'assumed',
    source: '2.3 and 2.5: the total time, or the time until the failure, of what has ended',
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
    name: 'one-dialect',
    operation: 'status',
    dialect: 'both',
    phases: ANSWERED,
    basis: 'assumed',
    source: 'Clients read either status or state',
    contradicts: 'course',
    requires: 'The answers of one execution speak one dialect',
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
