/** Well-formed answers in an order, or with codes, that make no sense. */
import * as act from '../acts.ts'
import type { Row } from '../row.ts'

export const STATE_ROWS: Row[] = [
  {
    name: 'completed, then running',
    behaviour: { status: act.inTurn(act.completed(), act.running()) },
    plan: { confirmShare: 1 },
    outcome: 'completed',
    rules: ['terminal-state-is-final'],
    limit: 'request',
  },
  {
    name: 'completed, then completed with another result and time',
    behaviour: { status: act.inTurn(act.completed(1), act.completed(2, 'something else')) },
    plan: { confirmShare: 1 },
    outcome: 'completed',
    rules: ['execution-time-is-stable', 'result-is-stable'],
    limit: 'request',
  },
  {
    name: 'progress of infinite size',
    behaviour: {
      status: act.inTurn(
        act.answer(
          '{"status":"running","current_task":"a","progress":{"completed_tasks":1e999,"total_tasks":1e999}}',
        ),
        act.completed(),
      ),
    },
    outcome: 'completed',
    rules: ['progress-has-integers'],
  },
  {
    name: 'a failed run as HTTP 500, always',
    behaviour: { status: act.json({ status: 'error', error: 'no', message: 'no' }, 500) },
    outcome: 'unreadable',
    poll: 500,
    rules: ['failed-run-is-200'],
    limit: 'deadline',
  },
  {
    name: 'state and status in one answer',
    behaviour: { status: act.platform('SUCCESS', { status: 'completed', result: 'done' }) },
    outcome: 'completed',
    rules: ['completed-has-execution-time', 'completed-has-result', 'one-dialect'],
  },
  {
    name: 'dialect switched between answers',
    behaviour: {
      status: act.inTurn(act.running(), act.platform('SUCCESS', { result: 'done' })),
    },
    outcome: 'completed',
    rules: ['one-dialect'],
  },
  {
    name: '429 with an absurd Retry-After',
    behaviour: { status: act.errorBody(429, { 'retry-after': '99999999999999999999' }) },
    outcome: 'unreadable',
    poll: 429,
    rules: ['retry-after-is-readable'],
    limit: 'deadline',
  },
  {
    name: '204 for a status',
    behaviour: { status: act.inTurn(act.raw(act.head(204, {})), act.completed()) },
    outcome: 'completed',
    poll: 'not-json',
    rules: ['body-is-json', 'content-type-json', 'status-answers-200'],
  },
  {
    name: 'a redirect for a status',
    behaviour: {
      status: act.inTurn(act.answer('', 307, { location: '/elsewhere' }), act.completed()),
    },
    outcome: 'completed',
    poll: 307,
    rules: ['status-code-known'],
  },
  {
    name: 'a kickoff that is slow, but in time',
    behaviour: {
      kickoff: (socket, call) => setTimeout(() => act.started(socket, call), 100),
    },
    outcome: 'completed',
  },
]
