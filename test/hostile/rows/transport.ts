/** Connections and framing: what is not even HTTP, or not all of it. */
import * as act from '../acts.ts'
import type { Row } from '../row.ts'

const OK_HEAD = { 'content-type': 'application/json', 'content-length': 500 }
const CHUNKED = act.head(200, {
  'content-type': 'application/json',
  'transfer-encoding': 'chunked',
})
const SPACES = Buffer.alloc(65_536, 0x20)

/** Once badly, then well: a poll is asked again, so the execution is still seen to its end. */
function once(bad: Parameters<typeof act.inTurn>[0]): Row['behaviour'] {
  return { status: act.inTurn(bad, act.completed()) }
}

export const TRANSPORT_ROWS: Row[] = [
  {
    name: 'kickoff accepted and never answered',
    behaviour: { kickoff: act.silence },
    outcome: 'unknown',
    kickoff: 'timeout',
    limit: 'request',
  },
  {
    name: 'kickoff reset before the head',
    behaviour: { kickoff: act.resetAtOnce },
    outcome: 'unknown',
    kickoff: 'reset',
  },
  {
    name: 'kickoff ended with no answer',
    behaviour: { kickoff: act.endAtOnce },
    outcome: 'unknown',
    kickoff: 'closed',
  },
  {
    name: 'kickoff truncated by FIN',
    behaviour: { kickoff: act.rawThenEnd(`${act.head(200, OK_HEAD)}{"kickoff_id":"a`) },
    outcome: 'unknown',
    kickoff: 'truncated',
  },
  {
    name: 'kickoff answered with garbage instead of HTTP',
    behaviour: { kickoff: act.rawThenEnd('\u0000\u0001\u0002 not HTTP at all\r\n\r\n') },
    outcome: 'unknown',
    kickoff: 'malformed-http',
  },
  {
    name: 'kickoff answered by a redirect, which is not followed',
    behaviour: { kickoff: act.answer('', 302, { location: '/kickoff' }) },
    outcome: 'rejected',
    kickoff: 302,
    rules: ['kickoff-is-not-redirected'],
  },
  {
    name: 'status truncated by FIN, always',
    behaviour: { status: act.rawThenEnd(`${act.head(200, OK_HEAD)}{"status":`) },
    outcome: 'unreadable',
    poll: 'truncated',
    limit: 'deadline',
  },
  {
    name: 'status that drips for ever',
    behaviour: { status: act.drip(`${CHUNKED}${'1\r\n \r\n'.repeat(999)}`, 2) },
    outcome: 'unreadable',
    poll: 'timeout',
    limit: 'deadline',
  },
  {
    name: 'status never answered',
    behaviour: { status: act.silence },
    outcome: 'unreadable',
    poll: 'timeout',
    limit: 'deadline',
  },
  {
    name: 'status with huge headers',
    behaviour: once(act.raw(act.head(200, { ...OK_HEAD, 'x-huge': 'x'.repeat(200_000) }))),
    outcome: 'completed',
    poll: 'malformed-http',
  },
  {
    name: 'status with a content-length too long',
    behaviour: once(act.raw(`${act.head(200, OK_HEAD)}${act.completedText}`)),
    outcome: 'completed',
    poll: 'timeout',
    limit: 'request',
  },
  {
    name: 'status with a content-length too short',
    behaviour: once(
      act.raw(`${act.head(200, { ...OK_HEAD, 'content-length': 9 })}{"status":"completed"}`),
    ),
    outcome: 'completed',
    poll: 'not-json',
    rules: ['body-is-json'],
  },
  {
    name: 'status answered twice',
    behaviour: {
      status: (socket, call) => {
        act.running()(socket, call)
        act.completed()(socket, call)
      },
    },
    outcome: 'stuck',
    poll: 200,
    limit: 'deadline',
  },
  {
    name: 'status of 100 MB, declared',
    behaviour: once(act.flood(act.head(200, { ...OK_HEAD, 'content-length': 1e8 }), SPACES, 1e8)),
    outcome: 'completed',
    poll: 'too-large',
    growsAtMostBytes: 60_000_000,
  },
  {
    name: 'status of 100 MB, undeclared',
    behaviour: once(act.flood(act.head(200, { connection: 'close' }), SPACES, 1e8)),
    outcome: 'completed',
    poll: 'too-large',
    growsAtMostBytes: 60_000_000,
  },
  {
    name: 'status with an endless body, always',
    behaviour: { status: act.flood(act.head(200, { connection: 'close' }), SPACES) },
    outcome: 'unreadable',
    poll: 'too-large',
    limit: 'deadline',
    growsAtMostBytes: 120_000_000,
  },
  {
    name: 'idle connection closed at the moment of the next request',
    behaviour: {
      status: (socket, call) => {
        act.inTurn(act.running(), act.running(1), act.completed())(socket, call)
        setTimeout(() => socket.end(), 9)
      },
    },
    outcome: 'completed',
    poll: 200,
  },
  {
    name: 'every answer closes its connection',
    behaviour: {
      status: act.inTurn(
        act.json(
          {
            status: 'running',
            current_task: 'a',
            progress: { completed_tasks: 0, total_tasks: 1 },
          },
          200,
          { connection: 'close' },
        ),
        act.completed(),
      ),
    },
    outcome: 'completed',
    poll: 200,
  },
]
