/**
 * Derives what is seen of a load from the journal of its run, and from the ledger if there is one.
 */
import { arrivalOf } from '../../../result/ledger/correlation.ts'
import type { Ledger } from '../../../result/ledger/reconcile.ts'
import { countedFrom, toRunClock } from '../../../result/validity/clock.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_SECOND } from '../../../base/units.ts'
import type { LedgerRow } from '../../../crew/ledger.ts'
import type { JournalLine } from '../../../execution/record/journal-lines.ts'
import { reportedSeconds, sawTheEnd } from '../../../execution/record/readings.ts'
import { crewError } from '../../../execution/record/reason.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import { requestsIn } from '../../../execution/record/request-row.ts'
import { CommonClock } from '../../../result/counting/common-clock.ts'
import type { Load, LoadSeen, Seen } from '../analyse/learn/seen.ts'

const REFUSED = new Set<unknown>([429, 503])

/** Pass each line of one run to `saw`, then call `seen`. */
export class Observer {
  readonly #clock = new CommonClock(null)
  readonly #records: ExecutionRecord[] = []
  readonly #runs = new Set<string>()

  saw(line: JournalLine): void {
    if (line.type === 'run') {
      this.#clock.began(line)
      this.#runs.add(line.runId)
    }
    if (line.type !== 'ended' || line.record.sentMicros === null) return
    const shifted = this.#clock.shifted(line)
    if (shifted.type === 'ended') this.#records.push(shifted.record)
  }

  seen(load: Load, ledger: Ledger | null): LoadSeen {
    const rows = new Map(ledger?.rows.map((row) => [row.kickoff_id, row]))
    const clock = ledger === null ? null : countedFrom(this.#clock.zeroUnixMs ?? 0, ledger.clock)
    const records = this.#records.toSorted((a, b) => a.intendedMicros - b.intendedMicros)
    const executions = records.map((record) => {
      const row = record.kickoffId === null ? undefined : rows.get(record.kickoffId)
      const course =
        row === undefined || clock === null
          ? courseByPolls(record)
          : courseByLedger(row, (at) => toRunClock(at, clock))
      return {
        ...seenOf(record, course),
        ...tasksOf(record, row),
        ...failureOf(record),
        ...(record.outcome === 'lost' ? { lost: record.endedMicros } : {}),
      }
    })
    const truth = ledger !== null ? 'ledger' : reportsTimes(records) ? 'reported' : 'polls'
    const seen: LoadSeen = { load, executions, truth, polls: pollsOf(records) }
    if (ledger === null || clock === null) return seen
    const ids = new Set(records.map(({ kickoffId }) => kickoffId))
    const foreign = ledger.rows.filter((row) => !ids.has(row.kickoff_id) && !this.#isOurs(row))
    const courses = foreign.map((row) => courseByLedger(row, (at) => toRunClock(at, clock)))
    return { ...seen, others: othersOf(courses, records) }
  }

  /** Only the ledger knows the id of an execution whose kickoff was never answered. */
  #isOurs({ correlation }: LedgerRow): boolean {
    return [...this.#runs].some((run) => arrivalOf(correlation, run) !== null)
  }
}

/**
 * The executions of other clients that the crew accepted during the load, and the time that workers
 * spent on them until its end.
 */
function othersOf(
  courses: readonly Course[],
  records: readonly ExecutionRecord[],
): LoadSeen['others'] & {} {
  const from = Math.min(...records.map(({ intendedMicros }) => intendedMicros))
  const until = Math.max(...records.map(({ endedMicros }) => endedMicros))
  const during = courses.filter(({ admittedMicros: at }) => at !== null && from <= at && at < until)
  const busy = during.reduce((sum, { startedMicros, endedMicros }) => {
    const begun = Math.min(until, startedMicros ?? until)
    return sum + Math.min(until, endedMicros ?? until) - begun
  }, 0)
  return {
    executions: during.length,
    busyMicros: busy,
    spanMicros: Math.max(0, until - from),
  }
}

/** The task times of the ledger, else those that the target reports. */
function tasksOf({ reported }: ExecutionRecord, row: LedgerRow | undefined): Pick<Seen, 'tasks'> {
  const tasks =
    row?.tasks.map(({ task_id: task, execution_time: seconds }) => ({ task, seconds })) ??
    reported.tasks.map(({ taskId, executionTimeSeconds }) => ({
      task: taskId,
      seconds: executionTimeSeconds,
    }))
  const known = tasks.flatMap(({ task, seconds }) =>
    seconds === null ? [] : { task, micros: seconds * MICROS_PER_SECOND },
  )
  return known.length === 0 ? {} : { tasks: known }
}

function failureOf(record: ExecutionRecord): Pick<Seen, 'failure'> {
  const failure = crewError(record)
  return failure === null ? {} : { failure }
}

/** The times of an execution, on the clock of the run. */
interface Course {
  admittedMicros: Micros | null
  startedMicros: Micros | null
  endedMicros: Micros | null
  endedWithinMicros: Micros
}

function courseByLedger(row: LedgerRow, onRunClock: (ms: number) => Micros): Course {
  const { accepted_ms: accepted, started_ms: started, ended_ms: ended, outcome } = row
  const hasEnded = outcome === 'completed' || outcome === 'failed'
  return {
    admittedMicros: onRunClock(accepted),
    startedMicros: started === null ? null : onRunClock(started),
    endedMicros: hasEnded && ended !== null ? onRunClock(ended) : null,
    endedWithinMicros: 0,
  }
}

/**
 * Takes the end as the middle of the two polls that enclose it. The start is that end less the
 * execution time that the target reports; null if it reports none.
 */
function courseByPolls(record: ExecutionRecord): Course {
  const { acceptedMicros, lastNotDoneSentMicros, firstDoneReceivedMicros: done } = record
  const unknown = { startedMicros: null, endedMicros: null, endedWithinMicros: 0 }
  if (!sawTheEnd(record) || done === null || acceptedMicros === null) {
    return { ...unknown, admittedMicros: acceptedMicros }
  }
  const after = lastNotDoneSentMicros ?? acceptedMicros
  const endedMicros = (after + done) / 2
  const reported = reportedSeconds(record)
  const tookMicros = reported === null ? null : reported * MICROS_PER_SECOND
  return {
    admittedMicros: acceptedMicros,
    startedMicros: tookMicros === null ? null : Math.max(acceptedMicros, endedMicros - tookMicros),
    endedMicros,
    endedWithinMicros: done - after,
  }
}

function reportsTimes(records: readonly ExecutionRecord[]): boolean {
  const ended = records.filter(({ outcome }) => outcome === 'completed')
  return ended.length > 0 && ended.every((record) => reportedSeconds(record) !== null)
}

function seenOf(record: ExecutionRecord, course: Course): Seen {
  const { intendedMicros: intended, acceptedMicros } = record
  const { admittedMicros, startedMicros, endedMicros, endedWithinMicros } = course
  const kickoffMicros = (acceptedMicros ?? record.endedMicros) - intended
  const admitted = (admittedMicros ?? intended + kickoffMicros) - intended
  return {
    intended,
    accepted: acceptedMicros === null ? null : (admittedMicros ?? 0),
    kickoffMicros,
    admittedMicros: Math.min(kickoffMicros, Math.max(0, admitted)),
    started: startedMicros,
    ended: endedMicros,
    endedWithin: endedWithinMicros,
    known: record.firstDoneReceivedMicros === null ? null : record.endedMicros,
    outcome: record.outcome,
    refusals: refusalsOf(record),
  }
}

function refusalsOf({ intendedMicros, kickoff }: ExecutionRecord): Seen['refusals'] {
  return requestsIn(kickoff, intendedMicros).flatMap((request) => {
    const { answer, intendedMicros: at, doneMicros } = request
    if (!REFUSED.has(answer)) return []
    return { at, answered: doneMicros, status: Number(answer) }
  })
}

function pollsOf(records: readonly ExecutionRecord[]): LoadSeen['polls'] {
  const polls = records.flatMap(({ polls: each }) =>
    requestsIn(each, 0).map(({ answer, waitMicros, serviceMicros }) => ({
      refused: answer === 429,
      tookMicros: waitMicros + Math.max(0, serviceMicros),
    })),
  )
  const took = polls.map(({ tookMicros }) => tookMicros).toSorted((a, b) => a - b)
  return {
    refused: polls.filter(({ refused }) => refused).length,
    all: polls.length,
    tookMicros: took[took.length >> 1] ?? 0,
  }
}
