/**
 * What is known of executions that were recorded, as far as polling is concerned: when each ended
 * after it was accepted, what it showed of its progress, and how long a poll takes. Times are as
 * measured.
 */
import type { KnownCrew } from '../../../../execution/record/crew-place.ts'
import type { CommonFacts } from '../../../frame/conduct/past-runs.ts'
import { sumBy, sumOf } from '../../../../result/statistics/moments.ts'
import { quantileOf } from '../../../../result/statistics/quantiles.ts'
import type { Ledger } from '../../../../result/ledger/reconcile.ts'
import type { Micros } from '../../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../../base/units.ts'
import type { RequestAnswer } from '../../../../execution/request-log.ts'
import { isRefusal } from '../../../../crew/answer.ts'
import { sawTheEnd } from '../../../../execution/record/readings.ts'
import type {
  AskedWait,
  ExecutionRecord,
  RequestColumns,
} from '../../../../execution/record/record.ts'
import { requestsIn } from '../../../../execution/record/request.ts'
import type { PlanDocument } from '../../../../scenario/plan.schema.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { PushesResult } from '../../../../result/document.ts'
import type { ExecutionPushes } from '../../../../result/counting/tallies/pushes.ts'
import type { ReadExecution, RunExecutions, RunReader } from '../../../frame/executions/reader.ts'
import { completionsOf } from '../../../frame/executions/times.ts'
import type { TrialReason } from '../../../frame/trial/reasons.ts'
import type { FactsOf } from '../../../../result/sentence-tables.ts'
import type { FINDINGS } from '../../sentences/findings.ts'

export interface PastExecution {
  /** When it was accepted, from the beginning of its run: the order of the executions. */
  acceptedMicros: Micros
  /**
   * `ended`: it ended after `afterMicros` and at `byMicros` at the latest; the two are the same
   * where a ledger has it. `never`: it did not end within its deadline. `censored`: it was watched
   * until `afterMicros`, and what came then is not known.
   */
  fate: 'ended' | 'never' | 'censored'
  /** The time from acceptance. */
  afterMicros: Micros
  byMicros: Micros
  /** The deadline, counted from acceptance: no poll is sent at or after it. */
  deadlineMicros: Micros
  /** When each of its tasks was completed, rising; null where the target counts none. */
  completionsMicros: readonly Micros[] | null
  /** Of one that ended: when the first push in time reported it; missing if none did. */
  pushedMicros?: Micros
}

/** One poll of a recorded run, for what connections cost. */
export interface PollGap {
  /** From the answer before to this poll; for the first, from the kickoff's answer. */
  gapMicros: Micros
  fresh: boolean
  /** Wait for a connection and service. */
  tookMicros: Micros
}

/**
 * Polls that were not answered with 2xx, though the target did not refuse them: a refusal comes of
 * how often it is polled, and other failures do not. Of executions that were seen to end: of those
 * that were lost, all polls fail.
 */
export interface PollFailures {
  polls: number
  failed: number
  /** From each that failed to the next poll of its execution: a retry, or an interval. */
  pausesMicros: readonly Micros[]
}

/** Waits that answers asked for, which a policy obeys or ignores (`polling.hint`). */
interface Hinted {
  /** Answers with 2xx, with a hint or without. */
  answers: number
  waitsMicros: readonly Micros[]
}

export interface WaitHints {
  kickoff: Hinted
  polls: Hinted
  /** Polls that were answered with nothing left of the quota: every policy waits for it. */
  exhausted: number
}

export interface Recording {
  executions: readonly PastExecution[]
  /** Wait and service of the polls that were answered, as they were measured. */
  requestMicros: readonly Micros[]
  failures: PollFailures
  hints: WaitHints
  gaps: readonly PollGap[]
  /** Waits that answers with 2xx asked for, to an accepted kickoff and to polls. */
  asked: { polls: number; waitsMicros: readonly Micros[]; refused: number }
  /** The arrivals of each run whose rate is known. */
  loads: readonly { executions: number; perSecond: number }[]
  /** The rate of the runs together; null where too few executions tell. */
  arrivalsPerSecond: number | null
  /** The policy of the runs, where they all have the same; null otherwise. */
  current: PollingPolicy | null
  /** The path of a status, where all runs have the same and it is not as documented. */
  statusPath: string | undefined
  /** What the runs measured. */
  observed: {
    pollsPerExecution: number | null
    delayMeanMicros: Micros | null
    delayP95Micros: Micros | null
  }
  /** Where the true ends come from: `mixed` where some runs have a ledger. */
  truth: 'ledger' | 'polls' | 'mixed'
  /** What pushes reported of the executions; null unless all runs listened for them. */
  pushes: Pick<PushesResult, 'received' | 'repeated' | 'early'> | null
}

export interface LearnedRuns extends CommonFacts {
  recording: Recording
  /** Folders. */
  runs: readonly string[]
  /** Why what was measured cannot be trusted. */
  invalid: readonly TrialReason[]
  /** Runs that were read although they were INVALID. */
  doubted: readonly FactsOf<(typeof FINDINGS)['invalid-run']>[]
  /** The crews of the runs that were read, each once. */
  crews: readonly KnownCrew[]
}

/** Executions, and polls of them, that are kept of a run: more change no figure. */
export const MOST_EXECUTIONS = 20_000
const MOST_GAPS = 20_000

interface RecordedRun {
  reader: RunReader
  ledger: Ledger | null
}

/** What runs recorded whose journals were read: their executions in a row. */
export function recordingOf(runs: readonly RecordedRun[]): Recording {
  let shift = 0
  const each = runs.map((run) => {
    const recorded = executionsOf(run)
    const from = shift
    shift +=
      1 + recorded.all.reduce((most, { acceptedMicros }) => Math.max(most, acceptedMicros), 0)
    const shifted = (past: PastExecution): PastExecution => {
      return { ...past, acceptedMicros: past.acceptedMicros + from }
    }
    return { ...recorded, all: recorded.all.map(shifted) }
  })
  const plans = runs.map(({ reader }) => reader.first?.plan ?? null)
  const records = each.map(({ kept }) => kept.map(({ record }) => record))
  const loads = each.flatMap(({ all }) => loadOf(all))
  return {
    executions: each.flatMap(({ all }) => all),
    ...pollsOf(records),
    hints: hintsOf(records.flat()),
    loads,
    arrivalsPerSecond: rateOf(loads),
    current: same(plans.map((plan) => (plan === null ? null : heeding(plan)))) ?? null,
    statusPath: same(plans.map((plan) => plan?.paths?.status)),
    observed: observedOf(each),
    truth:
      same(runs.map(({ ledger }) => (ledger === null ? 'polls' : 'ledger'))) ??
      (runs.length === 0 ? 'polls' : 'mixed'),
    pushes: plans.every((plan) => plan?.webhooks !== undefined)
      ? pushesOf(each.flatMap(({ kept }) => kept.flatMap(({ pushes }) => pushes ?? [])))
      : null,
  }
}

function pushesOf(pushes: readonly ExecutionPushes[]): Recording['pushes'] {
  return {
    received: sumBy(pushes, ({ received }) => received),
    repeated: sumBy(pushes, ({ repeated }) => repeated),
    early: pushes.filter(({ isEarly }) => isEarly).length,
  }
}

/** What is the same in all; undefined where it is not, and of none. */
function same<T>([first, ...others]: readonly T[]): T | undefined {
  const text = JSON.stringify(first)
  return others.every((other) => JSON.stringify(other) === text) ? first : undefined
}

interface RunRecorded {
  /** Those whose polls are all known. */
  kept: readonly ReadExecution[]
  /** The same, in their order, and then what was in flight at the end. */
  all: readonly PastExecution[]
}

function executionsOf({ reader, ledger }: RecordedRun): RunRecorded {
  const plan = reader.first?.plan ?? null
  const { executions, onRunClock } = reader.read(ledger)
  const kept = executions.filter(
    ({ record: { resumed, warmUp, acceptedMicros } }) =>
      // The polls of a resumed execution before the cut are missing.
      !resumed && !warmUp && acceptedMicros !== null,
  )
  const deadlineMicros = plan?.deadlineMicros ?? Infinity
  const measured = kept.map((own) => pastOf(own, { deadlineMicros, onRunClock }))
  return { kept, all: [...measured, ...leftInFlight(reader, plan)] }
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

interface OfRun {
  deadlineMicros: Micros
  onRunClock: RunExecutions['onRunClock']
}

function pastOf(execution: ReadExecution, { deadlineMicros, onRunClock }: OfRun): PastExecution {
  const { record, row, ended, pushes } = execution
  const accepted = record.acceptedMicros ?? 0
  const since = (atMicros: Micros): number => Math.max(1, atMicros - accepted)
  const known = {
    acceptedMicros: accepted,
    deadlineMicros: since((record.sentMicros ?? accepted) + deadlineMicros),
    completionsMicros: record.changes.every(({ completed }) => completed === null)
      ? null
      : completionsOf(execution, onRunClock).map(since),
  }
  const end = ended?.high ?? Infinity
  // What the ledger ends later has not ended for its client, which has given up by then.
  const isLate = row !== null && end < Infinity && since(end) >= known.deadlineMicros
  if (ended !== null && end < Infinity && !isLate) {
    const pushed = pushes?.endMicros ?? Infinity
    const told = pushed < Infinity ? { pushedMicros: since(pushed) } : {}
    return {
      ...known,
      ...told,
      fate: 'ended',
      afterMicros: since(ended.low),
      byMicros: since(end),
    }
  }
  const lastSeen = since(record.lastNotDoneSentMicros ?? accepted)
  const fate = isLate || record.outcome === 'stuck' ? 'never' : 'censored'
  return { ...known, fate, afterMicros: lastSeen, byMicros: lastSeen }
}

/** A plan that honours no wait obeys no hint either. */
function heeding({ polling, honourRetryAfter }: PlanDocument): PollingPolicy {
  if (honourRetryAfter) return polling
  const { hint: _hint, ...deaf } = polling
  return deaf
}

type OfPolls = Pick<Recording, 'requestMicros' | 'failures' | 'gaps' | 'asked'>

function pollsOf(runs: readonly (readonly ExecutionRecord[])[]): OfPolls {
  const requestMicros: Micros[] = []
  const gaps: PollGap[] = []
  const pausesMicros: Micros[] = []
  const waitsMicros: Micros[] = []
  let [polled, refused, failed, ofEnded] = [0, 0, 0, 0]
  for (const records of runs) {
    const [keptGaps, keptPauses] = [gaps.length + MOST_GAPS, pausesMicros.length + MOST_GAPS]
    for (const record of records) {
      const { polls, kickoff, intendedMicros, acceptedMicros } = record
      const isSeen = sawTheEnd(record)
      let before = (acceptedMicros ?? 0) - intendedMicros
      let hasFailed = false
      for (const request of requestsIn(polls, 0)) {
        const { answer, askedMicros, dueMicros, lateMicros, doneMicros, fresh } = request
        const isRefused = isRefusal(answer, askedMicros !== null)
        const sent = dueMicros + lateMicros
        const tookMicros = doneMicros - sent
        polled++
        if (hasFailed && pausesMicros.length < keptPauses) pausesMicros.push(sent - before)
        hasFailed = isSeen && !isReadable(answer) && !isRefused
        if (isSeen) ofEnded++
        if (hasFailed) failed++
        if (isRefused) refused++
        if (isReadable(answer) && gaps.length < keptGaps) {
          requestMicros.push(lateMicros + tookMicros)
          gaps.push({ gapMicros: sent - before, fresh: fresh === 1, tookMicros })
        }
        before = doneMicros
      }
      for (const { answer, asked = [] } of [kickoff, polls]) {
        for (const { request, micros } of asked) {
          if (isReadable(answer[request]!)) waitsMicros.push(micros)
        }
      }
    }
  }
  const asked = { polls: polled, waitsMicros, refused }
  const failures = { polls: ofEnded, failed, pausesMicros }
  return { requestMicros, failures, gaps, asked }
}

function hintedIn(columns: readonly RequestColumns[]): WaitHints['polls'] {
  return {
    answers: sumBy(columns, ({ answer }) => answer.filter(isReadable).length),
    waitsMicros: columns.flatMap(({ asked = [] }) =>
      asked.flatMap(({ hint, micros }) => (hint === true ? micros : [])),
    ),
  }
}

function hintsOf(records: readonly ExecutionRecord[]): WaitHints {
  return {
    kickoff: hintedIn(records.map(({ kickoff }) => kickoff)),
    polls: hintedIn(records.map(({ polls }) => polls)),
    exhausted: sumBy(
      records,
      ({ polls }) => (polls.asked ?? []).filter((each) => isExhausted(polls, each)).length,
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

function loadOf(executions: readonly PastExecution[]): Recording['loads'] {
  if (executions.length < FEWEST_ARRIVALS) return []
  const times = executions.map(({ acceptedMicros }) => acceptedMicros)
  const span = Math.max(...times) - Math.min(...times)
  if (span <= 0) return []
  const perSecond = ((executions.length - 1) / span) * MICROS_PER_SECOND
  return [{ executions: executions.length, perSecond }]
}

/** Arrivals of all over the time in which they came: a short run says little of the rate. */
function rateOf([first, ...others]: Recording['loads']): number | null {
  if (first === undefined || others.length === 0) return first?.perSecond ?? null
  let [arrivals, seconds] = [0, 0]
  for (const { executions, perSecond } of [first, ...others]) {
    arrivals += executions
    seconds += executions / perSecond
  }
  return arrivals / seconds
}

/** A delay is known where its end is, within a millisecond. */
const KNOWN_MICROS = MICROS_PER_MS

function observedOf(runs: readonly RunRecorded[]): Recording['observed'] {
  const executions = runs.flatMap(({ kept, all }) =>
    kept.map(({ record }, i) => ({ record, ...all[i]! })),
  )
  const polls = sumBy(executions, ({ record }) => record.polls.answer.length)
  const delays = executions.flatMap(({ record, fate, afterMicros, byMicros }) => {
    const { firstDoneReceivedMicros: seen, acceptedMicros } = record
    const isKnown = fate === 'ended' && byMicros - afterMicros < KNOWN_MICROS
    return isKnown && seen !== null ? seen - (acceptedMicros ?? 0) - byMicros : []
  })
  const sum = sumOf(delays)
  return {
    pollsPerExecution: executions.length === 0 ? null : polls / executions.length,
    delayMeanMicros: delays.length === 0 ? null : sum / delays.length,
    delayP95Micros: quantileOf(
      delays.toSorted((a, b) => a - b),
      0.95,
    ),
  }
}
