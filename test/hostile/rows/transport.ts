/** Connections and framing: what is not even HTTP, or not all of it. */
import * as act from '../acts.ts'
import type { Row } from '../row.ts'

const CHUNKED = act.head(200, {
  'content-type': 'application/json',
  'transfer-encoding': 'chunked',
})
const SPACES = Buffer.alloc(65_536, 0x20)

export const TRANSPORT_ROWS: Row[] = [
  {
    name: 'kickoff accepted and never answered',
    behaviour: { kickoff: act.silence },
    outcome: 'unknown',
    kickoff: 'timeout',
    limit: 'request',
  },
  {
    name: 'status that drips for ever',
    behaviour: { status: act.drip(`${CHUNKED}${'1\r\n \r\n'.repeat(999)}`, 2) },
    outcome: 'unreadable',
    poll: 'timeout',
    limit: 'deadline',
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
