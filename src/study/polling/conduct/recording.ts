/** From the records of runs to the recording that strategies are replayed over. */
import { quantileOf } from '../../../result/statistics/quantiles.ts'
import type { Ledger } from '../../../result/ledger/reconcile.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../base/units.ts'
import type { LedgerRow } from '../../../crew/ledger.ts'
import type { RequestAnswer } from '../../../execution/request-log.ts'
import { sawTheEnd } from '../../../execution/record/readings.ts'
import type {
  AskedWait,
  ExecutionRecord,
  RequestColumns,
} from '../../../execution/record/record.ts'
import { requestsIn } from '../../../execution/record/request.ts'
import type { PlanDocument } from '../../../scenario/plan.schema.ts'
import type { PollingPolicy } from '../../../scenario/polling/index.ts'
import type { ReadExecution, RunExecutions, RunReader } from '../../frame/executions/reader.ts'
import type { WaitHints, PastExecution, PollGap, Recording } from '../analyse/replay/recording.ts'
import { NO_HINTS } from '../analyse/replay/replay.ts'

/** Executions, and polls of them, that are kept of a run: more change no figure. */
export const MOST_EXECUTIONS = 20_000
const MOST_GAPS = 20_000

/** What a run whose journal was read recorded. */
export function recordingOf(reader: RunReader, ledger: Ledger | null): Recording {
  const plan = reader.first?.plan ?? null
  const run = reader.read(ledger)
  const kept = run.executions.filter(
    ({ record: { resumed, warmUp, acceptedMicros } }) =>
      // The polls of a resumed execution before the cut are missing.
      !resumed && !warmUp && acceptedMicros !== null,
  )
  const records = kept.map(({ record }) => record)
  const deadlineMicros = plan?.deadlineMicros ?? Infinity
  const executions = kept.map((each) =>
    pastOf(each, { deadlineMicros, onRunClock: run.onRunClock }),
  )
  const all = [...executions, ...leftInFlight(reader, plan)]
  return {
    executions: all,
    ...pollsOf(records),
    arrivalsPerSecond: rateOf(all),
    current: plan === null ? null : heeding(plan),
    ...statusPathOf(plan?.paths?.status),
    observed: observedOf(records, executions),
    truth: ledger === null ? 'polls' : 'ledger',
  }
}

/**
 * Executions in flight when the journal ends: until its last line, none of them was seen to end.
 * Without them the short ones would count for too much.
 */
function leftInFlight(
  { leftInFlight: left }: RunReader,
  plan: PlanDocument | null,
): PastExecution[] {
  const { warmUpMicros = 0, deadlineMicros = Infinity } = plan ?? {}
  return left.acceptedMicros
    .filter((acceptedMicros) => acceptedMicros >= warmUpMicros)
    .map((acceptedMicros) => {
      const watched = Math.max(1, left.untilMicros - acceptedMicros)
      return {
        acceptedMicros,
        fate: 'censored',
        afterMicros: watched,
        byMicros: watched,
        deadlineMicros,
        completionsMicros: null,
      }
    })
}

/** Tasks follow each other from the start of the execution. */
function completionsIn(row: LedgerRow, onRunClock: (ms: number) => Micros): Micros[] {
  const { started_ms: startedMs, tasks } = row
  if (startedMs === null) return []
  let atMs = startedMs
  return tasks.map(({ execution_time: seconds }) => {
    atMs += seconds * 1_000
    return onRunClock(atMs)
  })
}

interface OfRun {
  deadlineMicros: Micros
  onRunClock: RunExecutions['onRunClock']
}

function pastOf(execution: ReadExecution, { deadlineMicros, onRunClock }: OfRun): PastExecution {
  const { record, row, ended } = execution
  const accepted = record.acceptedMicros ?? 0
  const since = (atMicros: Micros): Micros => Math.max(1, atMicros - accepted)
  const completions =
    row === null || onRunClock === null
      ? observedCompletions(record)
      : completionsIn(row, onRunClock)
  const known = {
    acceptedMicros: accepted,
    deadlineMicros: since((record.sentMicros ?? accepted) + deadlineMicros),
    completionsMicros: record.changes.every(({ completed }) => completed === null)
      ? null
      : completions.map(since),
  }
  const lastSeen = since(record.lastNotDoneSentMicros ?? accepted)
  if (row !== null && ended !== null) {
    const end = since(ended.high)
    if (end < known.deadlineMicros) {
      return { ...known, fate: 'ended', afterMicros: end, byMicros: end }
    }
    // What the ledger ends later has not ended for its client, which has given up by then.
    return { ...known, fate: 'never', afterMicros: lastSeen, byMicros: lastSeen }
  }
  const { firstDoneReceivedMicros: doneMicros } = record
  if (sawTheEnd(record) && doneMicros !== null) {
    return { ...known, fate: 'ended', afterMicros: lastSeen, byMicros: since(doneMicros) }
  }
  const fate = record.outcome === 'stuck' ? 'never' : 'censored'
  return { ...known, fate, afterMicros: lastSeen, byMicros: lastSeen }
}

/** When polls saw each task done: as late as they came. */
function observedCompletions({ changes }: ExecutionRecord): Micros[] {
  const times: Micros[] = []
  for (const { atMicros, completed } of changes) {
    const more = Math.max(0, (completed ?? 0) - times.length)
    times.push(...Array.from({ length: more }, () => atMicros))
  }
  return times
}

/** A plan that honours no wait obeys no hint either. */
function heeding({ polling, honourRetryAfter }: PlanDocument): PollingPolicy {
  if (honourRetryAfter) return polling
  const { hint: _hint, ...deaf } = polling
  return deaf
}

type OfPolls = Pick<Recording, 'requestMicros' | 'failures' | 'hints' | 'gaps' | 'asked'>

function pollsOf(records: readonly ExecutionRecord[]): OfPolls {
  const requestMicros: Micros[] = []
  const gaps: PollGap[] = []
  const pausesMicros: Micros[] = []
  const waitsMicros: Micros[] = []
  let [polled, refused, failed, ofEnded] = [0, 0, 0, 0]
  for (const record of records) {
    const { polls, kickoff, intendedMicros, acceptedMicros } = record
    const isSeen = sawTheEnd(record)
    let before = (acceptedMicros ?? 0) - intendedMicros
    let hasFailed = false
    for (const { answer, dueMicros, lateMicros, doneMicros, fresh } of requestsIn(polls, 0)) {
      const sent = dueMicros + lateMicros
      const tookMicros = doneMicros - sent
      polled++
      if (hasFailed && pausesMicros.length < MOST_GAPS) pausesMicros.push(sent - before)
      hasFailed = isSeen && !isReadable(answer) && answer !== 429
      if (isSeen) ofEnded++
      if (hasFailed) failed++
      if (answer === 429) refused++
      if (isReadable(answer)) {
        if (requestMicros.length < MOST_GAPS) {
          requestMicros.push(lateMicros + tookMicros)
        }
        if (gaps.length < MOST_GAPS) {
          gaps.push({ gapMicros: sent - before, fresh: fresh === 1, tookMicros })
        }
      }
      before = doneMicros
    }
    for (const { answer, asked = [] } of [kickoff, polls]) {
      for (const { request, micros } of asked) {
        if (isReadable(answer[request]!)) waitsMicros.push(micros)
      }
    }
  }
  const asked = { polls: polled, waitsMicros, refused }
  const failures = { polls: ofEnded, failed, pausesMicros }
  return { requestMicros, failures, hints: hintsOf(records), gaps, asked }
}

function hintedIn(columns: readonly RequestColumns[]): WaitHints['polls'] {
  return {
    answers: columns.reduce((sum, { answer }) => sum + answer.filter(isReadable).length, 0),
    waitsMicros: columns.flatMap(({ asked = [] }) =>
      asked.flatMap(({ hint, micros }) => (hint === true ? micros : [])),
    ),
  }
}

function hintsOf(records: readonly ExecutionRecord[]): WaitHints {
  return {
    kickoff: hintedIn(records.map(({ kickoff }) => kickoff)),
    polls: hintedIn(records.map(({ polls }) => polls)),
    exhausted: records.reduce(
      (sum, { polls }) =>
        sum + (polls.asked ?? []).filter((each) => isExhausted(polls, each)).length,
      0,
    ),
  }
}

function isExhausted({ answer }: RequestColumns, { hint, request }: AskedWait): boolean {
  return hint !== true && isReadable(answer[request]!)
}

/** What refuses, or fails, asks to be left alone, which says nothing of how often to poll. */
function isReadable(answer: RequestAnswer): boolean {
  return typeof answer === 'number' && answer < 300
}

/** Fewer tell no rate. */
const FEWEST_ARRIVALS = 5

function rateOf(executions: readonly PastExecution[]): number | null {
  if (executions.length < FEWEST_ARRIVALS) return null
  const times = executions.map(({ acceptedMicros }) => acceptedMicros)
  const span = Math.max(...times) - Math.min(...times)
  return span <= 0 ? null : ((executions.length - 1) / span) * MICROS_PER_SECOND
}

/** A delay is known where its end is, within a millisecond. */
const KNOWN_MICROS = MICROS_PER_MS

function observedOf(
  records: readonly ExecutionRecord[],
  executions: readonly PastExecution[],
): Recording['observed'] {
  const polls = records.reduce((sum, { polls: { answer } }) => sum + answer.length, 0)
  const delays = executions.flatMap(({ fate, afterMicros, byMicros }, i) => {
    const { firstDoneReceivedMicros: seen, acceptedMicros } = records[i]!
    const isKnown = fate === 'ended' && byMicros - afterMicros < KNOWN_MICROS
    return isKnown && seen !== null ? seen - (acceptedMicros ?? 0) - byMicros : []
  })
  const sum = delays.reduce((total, delay) => total + delay, 0)
  const sorted = delays.toSorted((a, b) => a - b)
  return {
    pollsPerExecution: records.length === 0 ? null : polls / records.length,
    delayMeanMicros: delays.length === 0 ? null : sum / delays.length,
    delayP95Micros: quantileOf(sorted, 0.95),
  }
}

/** Several runs as one: their executions in a row. */
export function joined(recordings: readonly Recording[]): Recording {
  const [first, ...others] = recordings
  if (first === undefined || others.length === 0) return first ?? EMPTY
  let shift = 0
  const executions = recordings.flatMap(({ executions: own }) => {
    const from = shift
    const last = own.reduce((most, each) => Math.max(most, each.acceptedMicros), 0)
    shift += last + 1
    return own.map((each) => ({ ...each, acceptedMicros: each.acceptedMicros + from }))
  })
  const same = recordings.every(
    ({ current }) => JSON.stringify(current) === JSON.stringify(first.current),
  )
  const truths = new Set(recordings.map(({ truth }) => truth))
  return {
    executions,
    requestMicros: recordings.flatMap(({ requestMicros }) => requestMicros),
    failures: {
      polls: sum(recordings, ({ failures }) => failures.polls),
      failed: sum(recordings, ({ failures }) => failures.failed),
      pausesMicros: recordings.flatMap(({ failures }) => failures.pausesMicros),
    },
    hints: {
      kickoff: joinedHints(recordings, 'kickoff'),
      polls: joinedHints(recordings, 'polls'),
      exhausted: sum(recordings, ({ hints }) => hints.exhausted),
    },
    gaps: recordings.flatMap(({ gaps }) => gaps),
    asked: {
      polls: sum(recordings, ({ asked }) => asked.polls),
      waitsMicros: recordings.flatMap(({ asked }) => asked.waitsMicros),
      refused: sum(recordings, ({ asked }) => asked.refused),
    },
    arrivalsPerSecond: rateOfAll(recordings),
    current: same ? first.current : null,
    ...(recordings.every(({ statusPath }) => statusPath === first.statusPath)
      ? statusPathOf(first.statusPath)
      : {}),
    observed: {
      pollsPerExecution: weighted(recordings, ({ observed }) => observed.pollsPerExecution),
      delayMeanMicros: weighted(recordings, ({ observed }) => observed.delayMeanMicros),
      delayP95Micros: null,
    },
    truth: truths.size === 1 ? first.truth : 'mixed',
  }
}

function statusPathOf(statusPath: string | undefined): Pick<Recording, 'statusPath'> {
  return statusPath === undefined ? {} : { statusPath }
}

function joinedHints(
  recordings: readonly Recording[],
  of: 'kickoff' | 'polls',
): WaitHints['polls'] {
  return {
    answers: sum(recordings, ({ hints }) => hints[of].answers),
    waitsMicros: recordings.flatMap(({ hints }) => hints[of].waitsMicros),
  }
}

function sum(recordings: readonly Recording[], value: (recording: Recording) => number): number {
  return recordings.reduce((total, each) => total + value(each), 0)
}

/** Arrivals of all over the time in which they came: a short run says little of the rate. */
function rateOfAll(recordings: readonly Recording[]): number | null {
  let [arrivals, seconds] = [0, 0]
  for (const { executions, arrivalsPerSecond } of recordings) {
    if (arrivalsPerSecond === null) continue
    arrivals += executions.length
    seconds += executions.length / arrivalsPerSecond
  }
  return arrivals === 0 ? null : arrivals / seconds
}

/** The mean weighted by executions; null where one of them does not tell. */
function weighted(
  recordings: readonly Recording[],
  value: (recording: Recording) => number | null,
): number | null {
  const total = sum(recordings, ({ executions }) => executions.length)
  if (total === 0 || recordings.some((each) => value(each) === null)) return null
  return sum(recordings, (each) => (value(each) ?? 0) * each.executions.length) / total
}

const EMPTY: Recording = {
  executions: [],
  requestMicros: [],
  failures: { polls: 0, failed: 0, pausesMicros: [] },
  hints: NO_HINTS,
  gaps: [],
  asked: { polls: 0, waitsMicros: [], refused: 0 },
  arrivalsPerSecond: null,
  current: null,
  observed: { pollsPerExecution: null, delayMeanMicros: null, delayP95Micros: null },
  truth: 'polls',
}
