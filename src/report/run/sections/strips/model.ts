/**
 * The data of the strip of one execution; every time is in milliseconds since its intended kickoff.
 */
import { rowTimesOf } from '../../../../result/ledger/task-times.ts'
import type { SampleExecution } from '../../../../result/document.ts'
import type { ExecutionRecord, Outcome } from '../../../../execution/record/record.ts'
import { endReasonText } from '../../../../result/sentences/end-reasons.ts'
import { requestsIn } from '../../../../execution/record/request.ts'
import { exampleName, plainText } from '../../../text/format.ts'

export interface StripSpan {
  fromMs: number
  toMs: number
}

interface TaskSpan extends StripSpan {
  name: string
  /**
   * `ledger`: the true times; `observed`: as polls saw them, so the edges are late by up to one
   * poll.
   */
  source: 'ledger' | 'observed'
  /** The part of it that its calls waited for a quota, spread over it; only ledgers say. */
  quotaMs: number
  /** Likewise what a shared processor added. */
  slowedMs: number
  /** The execution failed in it. Default: it did not, or nothing says so. */
  failed?: true
}

export type PollKind = 'news' | 'same' | 'error'

export interface DrawnStrip {
  why: SampleExecution['why']
  name: string
  outcome: Outcome
  reason: string | null
  intendedMicros: number
  sentMs: number | null
  acceptedMs: number | null
  /** When the client learned the outcome. */
  totalMs: number
  trueEndMs: number | null
  /** Accepted, and not yet started by a worker; known only from a ledger. */
  waiting: StripSpan | null
  tasks: TaskSpan[]
  /** Waits for people: by a ledger, else from the poll that saw one to the answer or its end. */
  people: StripSpan[]
  /** The span of the end according to the polls, when nothing more exact is known. */
  endBetween: StripSpan | null
  /** The span from the true end until the client learned of it. */
  detection: StripSpan | null
  polls: { atMs: number; kind: PollKind }[]
}

/** Milliseconds since the kickoff of an execution was intended. */
function sinceIntended({ intendedMicros }: ExecutionRecord, micros: number): number
function sinceIntended({ intendedMicros }: ExecutionRecord, micros: number | null): number | null
function sinceIntended({ intendedMicros }: ExecutionRecord, micros: number | null): number | null {
  return micros === null ? null : (micros - intendedMicros) / 1_000
}

export function readStrip(sample: SampleExecution): DrawnStrip {
  const { record, trueEndMicros } = sample
  const trueEndMs = sinceIntended(record, trueEndMicros)
  const totalMs = Math.max(0, sinceIntended(record, record.endedMicros))
  const { waiting, tasks, people } = watched(workOf(sample, totalMs), totalMs)
  const after = sinceIntended(record, record.lastNotDoneSentMicros)
  const before = sinceIntended(record, record.firstDoneReceivedMicros)
  return {
    why: sample.why,
    name: exampleName(record),
    outcome: record.outcome,
    reason: record.reason === null ? null : plainText(endReasonText(record.reason), 120),
    intendedMicros: record.intendedMicros,
    sentMs: sinceIntended(record, record.sentMicros),
    acceptedMs: sinceIntended(record, record.acceptedMicros),
    totalMs,
    trueEndMs,
    waiting,
    tasks,
    people,
    endBetween:
      trueEndMs !== null || after === null || before === null
        ? null
        : { fromMs: after, toMs: before },
    detection:
      trueEndMs === null || trueEndMs > totalMs ? null : { fromMs: trueEndMs, toMs: totalMs },
    polls: pollsOf(record),
  }
}

interface ObservedWork {
  waiting: StripSpan | null
  tasks: TaskSpan[]
  people: StripSpan[]
}

/**
 * From the ledger when there is one: it is shifted so that its end coincides with the known true
 * end, or else its acceptance with the client's. The last task of a failed execution, which reports
 * no time, lasts until that end, and that of one without an end goes on. Otherwise from what the
 * polls observed.
 */
function workOf({ ledger, record, trueEndMicros }: SampleExecution, totalMs: number): ObservedWork {
  if (ledger === null || record.acceptedMicros === null) {
    return { waiting: null, tasks: observedTasks(record), people: observedPeople(record) }
  }
  const endMs = ledger.ended_ms === null ? null : sinceIntended(record, trueEndMicros)
  const acceptedMs =
    endMs === null
      ? sinceIntended(record, record.acceptedMicros)
      : endMs - ((ledger.ended_ms ?? 0) - ledger.accepted_ms)
  if (ledger.started_ms === null) {
    return { waiting: { fromMs: acceptedMs, toMs: totalMs }, tasks: [], people: [] }
  }
  const at = (ms: number): number => acceptedMs + ms - ledger.accepted_ms
  const startMs = at(ledger.started_ms)
  const tasks = rowTimesOf(ledger).tasks.map(({ task, beginMs, endMs: until, waits }): TaskSpan => {
    const { quotaMs, slowedMs } = waits
    const [name, fromMs, toMs] = [plainText(task, 40), at(beginMs), at(until)]
    return { name, fromMs, toMs, source: 'ledger', quotaMs, slowedMs }
  })
  const fromMs = tasks.at(-1)?.toMs ?? startMs
  const last = { fromMs, source: 'ledger', quotaMs: 0, slowedMs: 0 } as const
  if (endMs === null) {
    const name = plainText(record.changes.at(-1)?.task ?? 'at work', 40)
    tasks.push({ ...last, name, toMs: totalMs })
  } else if (ledger.outcome === 'failed' && endMs > fromMs) {
    tasks.push({ ...last, name: 'failed here', toMs: endMs, failed: true })
  }
  const people = (ledger.asked ?? []).map(({ from_ms, to_ms }) => {
    return { fromMs: at(from_ms), toMs: to_ms === null ? totalMs : at(to_ms) }
  })
  const waiting = startMs > acceptedMs ? { fromMs: acceptedMs, toMs: startMs } : null
  return { waiting, tasks, people }
}

function observedPeople(record: ExecutionRecord): StripSpan[] {
  return (record.people ?? []).map(({ seenMicros, answer, goneMicros }) => ({
    fromMs: sinceIntended(record, seenMicros),
    toMs: sinceIntended(record, answer?.doneMicros ?? goneMicros ?? record.endedMicros),
  }))
}

/** Only what happened until the client stopped watching: the rest would run off the page. */
function watched({ waiting, tasks, people }: ObservedWork, totalMs: number): ObservedWork {
  const within = <S extends StripSpan>(span: S): S[] =>
    span.fromMs >= totalMs ? [] : [{ ...span, toMs: Math.min(span.toMs, totalMs) }]
  return {
    waiting: waiting === null ? null : (within(waiting)[0] ?? null),
    tasks: tasks.flatMap(within),
    people: people.flatMap(within),
  }
}

function observedTasks(record: ExecutionRecord): TaskSpan[] {
  const begin = record.acceptedMicros ?? record.intendedMicros
  const named = record.changes.filter(({ task }) => task !== null)
  return named.map(({ task, atMicros }, index) => ({
    name: plainText(task ?? '', 40),
    fromMs: sinceIntended(record, index === 0 ? begin : atMicros),
    toMs: sinceIntended(
      record,
      named[index + 1]?.atMicros ?? record.firstDoneReceivedMicros ?? record.endedMicros,
    ),
    source: 'observed',
    quotaMs: 0,
    slowedMs: 0,
  }))
}

/**
 * A poll brought news when a change was recorded at the time of its answer, or when it was the one
 * that reported the end.
 */
function pollsOf(record: ExecutionRecord): DrawnStrip['polls'] {
  const { intendedMicros, firstDoneReceivedMicros } = record
  const news = new Set(record.changes.map(({ atMicros }) => atMicros))
  return requestsIn(record.polls, intendedMicros).map((request) => {
    const { isAnswered, isError, sentMicros, doneMicros } = request
    const isNews = news.has(doneMicros) || doneMicros === firstDoneReceivedMicros
    const atMs = (sentMicros - intendedMicros) / 1_000
    return { atMs, kind: isError || !isAnswered ? 'error' : isNews ? 'news' : 'same' }
  })
}
