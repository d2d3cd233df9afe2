/**
 * What a client sees of each kind of fault, over sockets and in virtual time alike: the compiler
 * asks for a case of every kind.
 */
import type { FaultKindName } from '../../../fake-crew/model/faults/kinds/list.ts'
import type { LedgerDisagreement } from '../../../src/result/document.ts'
import type { Outcome } from '../../../src/execution/record/record.ts'
import { EXECUTIONS } from './support.ts'

/** The fault strikes every request of one operation. */
export interface HttpCase<Run extends 'kickoff' | 'status' = 'kickoff' | 'status'> {
  run: Run
  fault: string
  outcome: Outcome
  /** The class in the errors, or the status code. */
  error: string | null
  rule: string | null
  /** Executions that the crew started. */
  started: number
}

/** The fault strikes executions. */
export interface ExecutionCase {
  run: 'executions'
  fault: string
  outcomes: Partial<Record<Outcome, number>>
  rules?: string[]
  disagreements?: LedgerDisagreement['kind'][]
  /** Executions that the crew started. Default: all. */
  started?: number
  /**
   * How long the second task takes, and the client waits for it. Default: as `support.ts` has it.
   */
  slow?: { writing: string; deadline: string }
}

/** The fault strikes the crew as a whole, some time after the run has begun. */
export interface CrewCase {
  run: 'crew'
  name: string
  fault: string
  outcome: Outcome
  /**
   * Each of these, and nothing else, may stand in the errors; one of them must, if there are any.
   */
  errors: string[]
}

/** New connections are refused while kickoffs want some. */
interface RefusalCase {
  run: 'new connections'
  fault: string
}

export type FaultCase =
  | HttpCase<'kickoff'>
  | HttpCase<'status'>
  | ExecutionCase
  | CrewCase
  | RefusalCase

function of<Run extends 'kickoff' | 'status'>(run: Run) {
  return (
    fault: string,
    outcome: Outcome,
    error: string | null,
    rule: string | null = null,
    started = EXECUTIONS,
  ): HttpCase<Run> => ({ run, fault, outcome, error, rule, started })
}

const onKickoff = of('kickoff')
const onStatus = of('status')

function onExecutions(
  fault: string,
  outcomes: ExecutionCase['outcomes'],
  more: Omit<ExecutionCase, 'run' | 'fault' | 'outcomes'> = {},
): ExecutionCase {
  return { run: 'executions', fault, outcomes, ...more }
}

/** By then every kickoff has been answered, also on a busy machine. */
const LATER = 'window: { from: 1500ms }'
const MEANWHILE = 'window: { from: 1500ms, for: 500ms }'
const GONE = ['404', 'reset', 'closed']
const AWAY = ['refused', 'reset', 'closed']

const ALL_COMPLETED = { completed: EXECUTIONS }
const ALL_LOST = { lost: EXECUTIONS }

export const CASES: Readonly<Record<FaultKindName, readonly [FaultCase, ...FaultCase[]]>> = {
  status: [
    onKickoff('status: { code: 500 }', 'unknown', '500', null, 0),
    onKickoff('status: { code: 503 }', 'rejected', '503', null, 0),
    onKickoff('status: { code: 429 }', 'rejected', '429', null, 0),
    onKickoff('status: { code: 500, carriedOut: true }', 'unknown', '500'),
    onStatus('status: { code: 500 }', 'unreadable', '500'),
    onStatus('status: { code: 502, body: "<h1>Bad Gateway</h1>" }', 'unreadable', '502'),
    onStatus('status: { code: 500, body: oops }', 'unreadable', '500', 'error-body-shape'),
    onStatus('status: { code: 418 }', 'unreadable', '418', 'status-code-known'),
    onExecutions(
      'status: { code: 200, body: \'{ "status": "running" }\' }\n  operations: [status]',
      { stuck: EXECUTIONS },
      {
        rules: ['running-has-current-task', 'running-has-progress'],
        disagreements: ['end-outside-interval'],
      },
    ),
  ],
  latency: [
    onKickoff('latency: 20ms', 'completed', null),
    onKickoff('latency: 10s', 'unknown', 'timeout'),
  ],
  reset: [
    onKickoff('reset: { at: before }', 'unknown', 'reset'),
    onKickoff('reset: { at: before, carriedOut: false }', 'unknown', 'reset', null, 0),
    onKickoff('reset: { at: during }', 'unknown', 'reset'),
    onKickoff('reset: { at: after }', 'completed', null),
    onStatus('reset: { at: before }', 'unreadable', 'reset'),
    onStatus('reset: { at: during }', 'unreadable', 'reset'),
  ],
  empty: [
    onKickoff('empty: {}', 'unknown', 'closed'),
    onKickoff('empty: { carriedOut: false }', 'unknown', 'closed', null, 0),
    onStatus('empty: {}', 'unreadable', 'closed'),
  ],
  truncate: [
    onKickoff('truncate: {}', 'unknown', 'truncated'),
    onStatus('truncate: { share: 90% }', 'unreadable', 'truncated'),
  ],
  malformed: [
    onKickoff('malformed: {}', 'unknown', 'not-json', 'kickoff-id-present'),
    onStatus('malformed: {}', 'unreadable', 'not-json', 'body-is-json'),
  ],
  contentType: [
    onKickoff('contentType: text/html', 'completed', null, 'kickoff-content-type-json'),
    onStatus('contentType: text/plain', 'completed', null, 'content-type-json'),
  ],
  drip: [
    onKickoff('drip: { pieces: 4, over: 20ms }', 'completed', null),
    onKickoff('drip: { over: 10s }', 'unknown', 'timeout'),
    onStatus('drip: { pieces: 3, over: 15ms }', 'completed', null),
  ],
  hang: [
    onKickoff('hang: {}', 'unknown', 'timeout'),
    onKickoff('hang: { carriedOut: false }', 'unknown', 'timeout', null, 0),
    onStatus('hang: {}', 'unreadable', 'timeout'),
  ],
  stall: [
    onKickoff('stall: {}', 'unknown', 'timeout'),
    onStatus('stall: { share: 0 }', 'unreadable', 'timeout'),
  ],
  refuse: [{ run: 'new connections', fault: '{ refuse: {}, window: { for: 4s } }' }],
  closeIdle: [onStatus('closeIdle: { after: 0s }', 'completed', 'closed')],
  notFound: [onExecutions('notFound: { for: 1m }', ALL_LOST, { disagreements: ['not-found'] })],
  stuck: [
    onExecutions('stuck: {}', { stuck: EXECUTIONS }),
    onExecutions('stuck: {}\n  nth: 2', { stuck: EXECUTIONS / 2, completed: EXECUTIONS / 2 }),
  ],
  backwards: [
    onExecutions('backwards: {}\n  nth: 3', ALL_COMPLETED, {
      rules: ['completed-tasks-never-decrease'],
      slow: { writing: '1s', deadline: '20s' },
    }),
  ],
  flip: [
    onExecutions('flip: {}', ALL_COMPLETED, { rules: ['terminal-state-is-final'] }),
    onExecutions('flip: { to: failed }', ALL_COMPLETED, { rules: ['terminal-state-is-final'] }),
  ],
  noResult: [onExecutions('noResult: {}', ALL_COMPLETED, { rules: ['completed-has-result'] })],
  swap: [onExecutions('swap: {}', ALL_COMPLETED, { disagreements: ['wrong-result'] })],
  neverStarts: [onExecutions('neverStarts: {}', ALL_LOST, { disagreements: ['lost'], started: 0 })],
  wrongId: [
    onExecutions('wrongId: {}', ALL_LOST, { disagreements: ['wrong-id'] }),
    onExecutions('wrongId: { of: another }\n  nth: 2', ALL_COMPLETED, {
      rules: ['kickoff-id-unique'],
      disagreements: ['wrong-id'],
    }),
  ],
  restart: [
    {
      run: 'crew',
      name: 'a restart that loses all',
      fault: `{ restart: { loses: all }, ${LATER} }`,
      outcome: 'lost',
      errors: GONE,
    },
    {
      run: 'crew',
      name: 'a restart that loses what runs, and takes its time',
      fault: `{ restart: { loses: running }, ${MEANWHILE} }`,
      outcome: 'lost',
      errors: ['404', ...AWAY],
    },
    {
      run: 'crew',
      name: 'a restart that loses nothing, and takes its time',
      fault: `{ restart: { loses: none }, ${MEANWHILE} }`,
      outcome: 'completed',
      errors: AWAY,
    },
  ],
  denied: [
    onKickoff('denied: {}', 'rejected', '401', null, 0),
    onStatus('denied: { why: expired }', 'unreadable', '401'),
    {
      run: 'crew',
      name: 'a token revoked in mid-run',
      fault: `{ denied: {}, ${LATER} }`,
      outcome: 'unreadable',
      errors: ['401'],
    },
  ],
  clockSkew: [
    {
      run: 'crew',
      name: 'a wrong wall clock',
      fault: '{ clockSkew: { behind: 1h } }',
      outcome: 'completed',
      errors: [],
    },
  ],
}

/** Of every kind, the cases that go by one sort of run, with their names. */
export function casesOf<Run extends FaultCase['run']>(
  sort: Run,
): [name: string, wanted: Extract<FaultCase, { run: Run }>][] {
  return Object.values(CASES)
    .flat()
    .filter((each): each is Extract<FaultCase, { run: Run }> => each.run === sort)
    .map((each) => ['name' in each ? each.name : each.fault, each])
}
