/**
 * Plausible execution records, drawn from a seed: what a small simulation of kickoffs and polls
 * would leave behind.
 */
import type { LedgerRow } from '../../../src/crew/ledger.ts'
import type { SampleExecution } from '../../../src/result/document.ts'
import { emptyColumns } from '../../../src/execution/record/request-row.ts'
import type { ExecutionRecord, RequestColumns } from '../../../src/execution/record/record.ts'
import type { Random } from '../../../src/base/random.ts'
import { crewSaid } from '../../support/reasons.ts'

const SECOND = 1_000_000
const TASKS = ['research', 'analysis', 'report'] as const

/** The client's record and the truth behind it. */
export interface Simulated {
  record: ExecutionRecord
  queueMicros: number
  trueEndMicros: number
  ledger: LedgerRow
}

/**
 * Two arrivals a minute; tasks of 60 s together in the median; polled at 2 s, then 1.5 times as
 * long, up to 15 s.
 */
export function simulate(random: Random, index: number, failureShare: number): Simulated {
  const draw = random.fork('execution', index)
  const intendedMicros = Math.round((index + draw.next()) * 30 * SECOND)
  const kickoff = emptyColumns()
  pushRequest(kickoff, 0, draw, 200)
  const acceptedMicros = intendedMicros + requestMicros(kickoff, 0)
  const queueMicros = draw.next() < 0.2 ? Math.round(draw.exponential() * 9 * SECOND) : 0
  const tasks = TASKS.map(() => Math.round(20 * SECOND * Math.exp(0.6 * draw.normal())))
  const failed = draw.next() < failureShare
  const done = failed ? 1 + draw.int(2) : 3
  const ends = tasks.slice(0, done).map((_, task) => {
    const spent = tasks.slice(0, task + 1).reduce((sum, micros) => sum + micros, 0)
    return acceptedMicros + queueMicros + spent
  })
  const trueEndMicros = ends.at(-1) ?? acceptedMicros
  const record = poll(draw, { index, intendedMicros, acceptedMicros, kickoff, ends, failed })
  const ledger: LedgerRow = {
    kickoff_id: record.kickoffId ?? '',
    ordinal: index,
    correlation: `sample/${index}`,
    accepted_ms: acceptedMicros / 1_000,
    started_ms: (acceptedMicros + queueMicros) / 1_000,
    ended_ms: trueEndMicros / 1_000,
    outcome: failed ? 'failed' : 'completed',
    tasks: tasks.slice(0, failed ? done - 1 : done).map((micros, task) => ({
      task_id: TASKS[task] ?? '',
      execution_time: Math.round(micros / 1_000) / 1_000,
    })),
    output_hash: failed ? null : '0badcafe',
  }
  return { record, queueMicros, trueEndMicros, ledger }
}

export function sampleOf(simulated: Simulated, why: SampleExecution['why']): SampleExecution {
  const { record, ledger, trueEndMicros } = simulated
  return { why, record, ledger, trueEndMicros }
}

interface Kicked {
  index: number
  intendedMicros: number
  acceptedMicros: number
  kickoff: RequestColumns
  ends: readonly number[]
  failed: boolean
}

function poll(draw: Random, kicked: Kicked): ExecutionRecord {
  const { index, intendedMicros, acceptedMicros, kickoff, ends, failed } = kicked
  const polls = emptyColumns()
  const changes: ExecutionRecord['changes'] = []
  const trueEnd = ends.at(-1) ?? acceptedMicros
  let [at, interval, lastSent, completed] = [acceptedMicros, 2 * SECOND, acceptedMicros, -1]
  for (let number = 0; number < 400; number++) {
    const due = at + interval
    const status = draw.next() < 0.004 ? 503 : 200
    pushRequest(polls, due - intendedMicros, draw, status)
    at = due + requestMicros(polls, number)
    interval = Math.min(15 * SECOND, Math.round(interval * 1.5))
    if (status !== 200) continue
    const now = ends.filter((end) => end <= due).length
    if (now !== completed) {
      changes.push({ atMicros: at, task: TASKS[now] ?? null, completed: now, total: 3 })
    }
    completed = now
    if (due >= trueEnd) break
    lastSent = due
  }
  return {
    index,
    instance: 0,
    kickoffId: `${draw.bits().toString(16).padStart(8, '0')}-5b0e-4c11-9d52-0123456789ab`,
    dialect: 'interface',
    tags: {},
    warmUp: false,
    outcome: failed ? 'failed' : 'completed',
    reason: failed ? crewSaid('Task failed: the model gave no answer') : null,
    intendedMicros,
    sentMicros: intendedMicros + (kickoff.lateMicros[0] ?? 0),
    acceptedMicros,
    endedMicros: at,
    lastNotDoneSentMicros: lastSent,
    firstDoneReceivedMicros: at,
    kickoff,
    polls,
    wastedPolls: polls.answer.length - changes.length,
    changes,
    reported: {
      executionTimeSeconds: (trueEnd - acceptedMicros) / SECOND,
      tasks: failed ? [] : TASKS.map((taskId) => ({ taskId, agent: '', executionTimeSeconds: 20 })),
    },
    output: failed ? null : { bytes: 4_120, hash: '0badcafe' },
    checks: {},
    violations: [],
    resumed: false,
  }
}

function pushRequest(
  columns: RequestColumns,
  dueMicros: number,
  draw: Random,
  answer: number,
): void {
  columns.dueMicros.push(dueMicros)
  columns.lateMicros.push(Math.round(300 * draw.exponential()))
  columns.waitMicros.push(Math.round(20 * draw.next()))
  columns.serviceMicros.push(Math.round(2_200 * Math.exp(0.5 * draw.normal())))
  columns.answer.push(answer)
  columns.fresh.push(draw.next() < 0.1 ? 1 : 0)
  columns.retry.push(0)
}

function requestMicros(columns: RequestColumns, at: number): number {
  return (
    (columns.lateMicros[at] ?? 0) + (columns.waitMicros[at] ?? 0) + (columns.serviceMicros[at] ?? 0)
  )
}
