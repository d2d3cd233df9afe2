/** Derives what is seen of a load from the executions of its run. */
import { middleOf } from '../../../result/inferred-workers/observed-stay.ts'
import { readPastRun } from '../../frame/conduct/past-runs.ts'
import { upperMedian } from '../../../result/statistics/rising.ts'
import { rowTimesOf } from '../../../result/ledger/task-times.ts'
import type { Ledger } from '../../../result/ledger/reconcile.ts'
import type { Between } from '../../../result/inferred-workers/observed-stay.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../base/units.ts'
import { isRefusal } from '../../../crew/answer.ts'
import { crewError } from '../../../execution/record/readings.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import { requestsIn } from '../../../execution/record/request.ts'
import type { ReadExecution, RunExecutions, RunReader } from '../../frame/executions/reader.ts'
import { timesByLedger } from '../../frame/executions/times.ts'
import type { AppliedLoad, LoadSeen, Seen } from '../analyse/seen.ts'
import { UserError } from '../../../base/mistakes.ts'
import { cutWords } from '../../../result/sentences/early-ends.ts'
import { readRun } from '../../../run/folder/stored.ts'
import type { Recorded } from '../analyse/learn/recorded.ts'
import { isOpen, loadOf, untilStopped } from '../analyse/learn/recorded.ts'

/**
 * `ledger`: null for a target without one. `from`: the time of an arrival; the lateness of the
 * generator is not the crew's, and does not count from `sent` on.
 */
export function loadSeenIn(
  reader: RunReader,
  load: AppliedLoad,
  ledger: Ledger | null,
  from: 'intended' | 'sent' = 'intended',
): LoadSeen {
  const run = reader.read(ledger)
  const records = run.executions.map(({ record }) => record)
  const executions = run.executions.map((each) =>
    seenOf(each, (from === 'sent' ? each.record.sentMicros : null) ?? each.intended),
  )
  const seen: LoadSeen = { load, executions, truth: run.by, polls: pollsOf(records) }
  return run.onRunClock === null ? seen : { ...seen, others: othersOf(run) }
}

/**
 * The executions of other clients that the crew accepted during the load, and the time that workers
 * spent on them until its end.
 */
function othersOf({ executions, others, onRunClock }: RunExecutions): LoadSeen['others'] & {} {
  const from = Math.min(...executions.map(({ intended }) => intended))
  const until = Math.max(...executions.map(({ record }) => record.endedMicros))
  const during = others
    .map((row) => timesByLedger(row, onRunClock!))
    .filter(({ accepted: at }) => at !== null && from <= at && at < until)
  const busy = during.reduce((sum, { started, ended }) => {
    const begun = Math.min(until, momentOf(started) ?? until)
    return sum + Math.min(until, momentOf(ended) ?? until) - begun
  }, 0)
  return {
    executions: during.length,
    busyMicros: busy,
    spanMicros: Math.max(0, until - from),
  }
}

/**
 * The task times of the ledger, else those that the target reports. They are whole, with what a
 * task waited, as the times of whole executions are beside which they are shown.
 */
function tasksOf({ record: { reported }, row }: ReadExecution): Seen['tasks'] & {} {
  if (row !== null) {
    const { tasks } = rowTimesOf(row)
    return tasks.map(({ task, tookMs }) => ({ task, micros: tookMs * MICROS_PER_MS }))
  }
  return reported.tasks.flatMap(({ taskId: task, executionTimeSeconds: seconds }) =>
    seconds === null ? [] : { task, micros: seconds * MICROS_PER_SECOND },
  )
}

/** Null if the moment was not observed. */
function momentOf(between: Between | null): Micros | null {
  return between === null || between.high === Infinity ? null : middleOf(between)
}

/** By polls, a start is the middle of its end less the execution time that the target reports. */
function startOf({ row, accepted, started, ended, ranMicros }: ReadExecution): Micros | null {
  const end = momentOf(ended)
  const ran = momentOf(ranMicros)
  if (row !== null || end === null || ran === null) return momentOf(started)
  return Math.max(accepted ?? 0, end - ran)
}

function seenOf(execution: ReadExecution, intended: Micros): Seen {
  const { record, accepted, ended, known, outcome } = execution
  const { acceptedMicros, endedMicros } = record
  const kickoffMicros = (acceptedMicros ?? endedMicros) - intended
  const admitted = (accepted ?? intended + kickoffMicros) - intended
  const tasks = tasksOf(execution)
  const failure = crewError(record)
  return {
    intended,
    accepted: acceptedMicros === null ? null : (accepted ?? 0),
    kickoffMicros,
    admittedMicros: Math.min(kickoffMicros, Math.max(0, admitted)),
    started: startOf(execution),
    ended: momentOf(ended),
    endedWithin: ended === null || ended.high === Infinity ? 0 : ended.high - ended.low,
    known,
    outcome,
    refusals: refusalsOf(record),
    ...(tasks.length > 0 && { tasks }),
    ...(failure !== null && { failure }),
    ...(outcome === 'lost' && { lost: endedMicros }),
  }
}

function refusalsOf({ intendedMicros, kickoff }: ExecutionRecord): Seen['refusals'] {
  return requestsIn(kickoff, intendedMicros).flatMap((request) => {
    const { answer, askedMicros, intendedMicros: at, doneMicros } = request
    // A crew whose queue is full may answer 503 without a wait.
    if (!isRefusal(answer, askedMicros !== null || answer === 503)) return []
    return { at, answered: doneMicros, status: Number(answer) }
  })
}

function pollsOf(records: readonly ExecutionRecord[]): LoadSeen['polls'] {
  const polls = records.flatMap(({ polls: each }) =>
    requestsIn(each, 0).map(({ answer, askedMicros, waitMicros, serviceMicros }) => ({
      refused: isRefusal(answer, askedMicros !== null),
      tookMicros: waitMicros + Math.max(0, serviceMicros),
    })),
  )
  return {
    refused: polls.filter(({ refused }) => refused).length,
    all: polls.length,
    tookMicros: upperMedian(polls.map(({ tookMicros }) => tookMicros)),
  }
}

/** Throws UserError for a folder that holds no run. */
export async function readRecorded(folder: string): Promise<Recorded> {
  const { reader, ledger, cut } = await readPastRun(await readRun(folder))
  if (cut !== null) {
    throw new UserError({ source: folder, problem: `is not evidence: ${cutWords(cut)}` })
  }
  const { seen } = cutLoadIn(reader, ledger, 'sent')
  const open = isOpen(reader.first?.plan ?? null)
  return { run: folder, place: reader.first?.place ?? null, seen, isOpen: open }
}

/** A load of the search that was stopped before its end. */
export interface CutLoad {
  seen: LoadSeen
  /** All of its kickoffs, including those that do not count. */
  sent: number
}

/** Reads the run of a load that was cut. Throws UserError for a folder that holds none. */
export async function readCut(folder: string): Promise<CutLoad> {
  const { reader, ledger } = await readPastRun(await readRun(folder))
  return cutLoadIn(reader, ledger, 'intended')
}

function cutLoadIn(reader: RunReader, ledger: Ledger | null, from: 'intended' | 'sent'): CutLoad {
  const seen = loadSeenIn(reader, { kind: 'open', perHour: 0, executions: 0 }, ledger, from)
  const executions = untilStopped(seen.executions)
  const load = loadOf(reader.first?.plan ?? null, executions)
  return { seen: { ...seen, executions, load }, sent: seen.executions.length }
}
