/** Faults of executions, and what each must end in. */
import type { LedgerDisagreement } from '../../../src/analysis/document.ts'
import type { Outcome } from '../../../src/execution/record.ts'
import { EXECUTIONS } from './support.ts'

export interface ExecutionCase {
  outcomes: Partial<Record<Outcome, number>>
  rules?: string[]
  disagreements?: LedgerDisagreement['kind'][]
  /** Executions that the crew started. Default: all. */
  started?: number
}

export const EXECUTION_CASES: [fault: string, wanted: ExecutionCase][] = [
  ['notFound: { for: 1m }', { outcomes: { lost: EXECUTIONS }, disagreements: ['not-found'] }],
  ['stuck: {}', { outcomes: { stuck: EXECUTIONS } }],
  ['stuck: {}\n  nth: 2', { outcomes: { stuck: EXECUTIONS / 2, completed: EXECUTIONS / 2 } }],
  ['flip: {}', { outcomes: { completed: EXECUTIONS }, rules: ['terminal-state-is-final'] }],
  [
    'flip: { to: failed }',
    { outcomes: { completed: EXECUTIONS }, rules: ['terminal-state-is-final'] },
  ],
  ['noResult: {}', { outcomes: { completed: EXECUTIONS }, rules: ['completed-has-result'] }],
  ['swap: {}', { outcomes: { completed: EXECUTIONS }, disagreements: ['wrong-result'] }],
  ['neverStarts: {}', { outcomes: { lost: EXECUTIONS }, disagreements: ['lost'], started: 0 }],
  ['wrongId: {}', { outcomes: { lost: EXECUTIONS }, disagreements: ['wrong-id'] }],
  [
    'wrongId: { of: another }\n  nth: 2',
    {
      outcomes: { completed: EXECUTIONS },
      rules: ['kickoff-id-unique'],
      disagreements: ['wrong-id'],
    },
  ],
  [
    'status: { code: 200, body: \'{ "status": "running" }\' }\n  operations: [status]',
    {
      outcomes: { stuck: EXECUTIONS },
      rules: ['running-has-current-task', 'running-has-progress'],
      disagreements: ['end-outside-interval'],
    },
  ],
]

/** It needs a run of its own: progress to fall from. */
export const BACKWARDS = 'backwards: {}\n  nth: 3'
