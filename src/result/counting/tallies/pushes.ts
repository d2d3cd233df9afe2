/** What pushes reported, kept until it can be compared with polls and with a ledger. */
import type { PushesResult } from '../../document.ts'
import type {
  AcceptedLine,
  PushFault,
  PushLine,
  ResumedLine,
} from '../../../execution/record/journal-lines.ts'
import { sawTheEnd } from '../../../execution/record/readings.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { Micros } from '../../../base/units.ts'
import { arrivalOf } from '../../ledger/faults.ts'
import type { Ledger } from '../../ledger/reconcile.ts'
import type { Lifetimes, Sample } from '../../statistics/sample.ts'
import { EMPTY_SAMPLE } from '../../statistics/sample.ts'
import { toRunClock } from '../../clock.ts'

/** What metrics of pushes are measured from. */
export interface PushCounts {
  result: PushesResult
  /** Empty without a ledger. */
  delay: Lifetimes
}

/** An execution, as its polls saw it. */
interface Polled {
  kickoffId: string
  acceptedMicros: Micros
  /** It had not ended when this poll was sent; null if none saw it at work. */
  workedMicros: Micros | null
}

interface SeenEnd extends Polled {
  warmUp: boolean
  isOver: boolean
  /** It was resumed, and ended: while somebody listened if it is over. */
  isUnheard: boolean
}

/** What pushes reported of one execution. */
export interface ExecutionPushes {
  /** Reports of all kinds, and those of them of what an earlier one had reported. */
  received: number
  repeated: number
  /** Reports that came before the answer to the kickoff. */
  beforeAnswer: number
  /** Whether one reported the end too early. */
  isEarly: boolean
  /** When the first one in time reported the end; Infinity if none did. */
  endMicros: Micros
}

interface PushReport {
  atMicros: Micros
  key: string
  isEnd: boolean
}

const NONE: readonly PushReport[] = []

/** About 100 bytes for each report and each execution. */
export class PushTally {
  readonly #ended: SeenEnd[] = []
  readonly #reports = new Map<string, PushReport[]>()
  readonly #known = new Set<string>()
  readonly #refused = new Map<PushFault, number>()
  /** Of executions that were resumed: whether somebody listened since. */
  #listens = false

  push({ kickoffId, atMicros, reports, key, fault }: PushLine): void {
    if (fault !== undefined) this.#refused.set(fault, (this.#refused.get(fault) ?? 0) + 1)
    if (kickoffId === null || key === null) return
    const isEnd = reports === 'completed' || reports === 'failed'
    const report = { atMicros, key, isEnd }
    const known = this.#reports.get(kickoffId)
    if (known === undefined) this.#reports.set(kickoffId, [report])
    else known.push(report)
  }

  accepted({ kickoffId }: AcceptedLine): void {
    this.#known.add(kickoffId)
  }

  resumed({ listens }: ResumedLine): void {
    this.#listens = listens === true
  }

  ended(record: ExecutionRecord): void {
    const { kickoffId, acceptedMicros, warmUp, resumed } = record
    if (kickoffId === null || acceptedMicros === null) return
    this.#known.add(kickoffId)
    this.#ended.push({
      kickoffId,
      acceptedMicros,
      workedMicros: record.lastNotDoneSentMicros,
      warmUp,
      isOver: sawTheEnd(record) && (!resumed || this.#listens),
      isUnheard: resumed && (record.outcome === 'completed' || record.outcome === 'failed'),
    })
  }

  /** What pushes reported of one execution. `end`: its true end, if known within `slack`. */
  of(
    { kickoffId, acceptedMicros, workedMicros }: Polled,
    end: Micros | null,
    slack: Micros,
  ): ExecutionPushes {
    const reports = this.#reports.get(kickoffId) ?? NONE
    const earliest = end === null ? (workedMicros ?? 0) : end - slack
    const ends = reports.filter(({ isEnd }) => isEnd)
    const inTime = ends.filter(({ atMicros }) => atMicros >= earliest)
    return {
      received: reports.length,
      repeated: reports.length - new Set(reports.map(({ key }) => key)).size,
      beforeAnswer: reports.filter(({ atMicros }) => atMicros < acceptedMicros).length,
      isEarly: inTime.length < ends.length,
      endMicros: firstOf(inTime),
    }
  }

  /** `collect` makes a sample of the delays. */
  counts(
    ledger: Ledger | null,
    runId: string,
    collect: (values: readonly Micros[]) => Sample,
  ): PushCounts {
    const ends = ledger === null ? null : trueEnds(ledger)
    const slack = ledger?.clock.errorMicros ?? 0
    const measured = this.#ended.filter(({ warmUp }) => !warmUp)
    const account = { received: 0, ends: 0, missed: 0, early: 0, repeated: 0, beforeAnswer: 0 }
    let unheard = 0
    const delays: Micros[] = []
    for (const execution of measured) {
      const end = ends?.get(execution.kickoffId) ?? null
      const reports = this.of(execution, end, slack)
      const { endMicros } = reports
      account.received += reports.received
      account.repeated += reports.repeated
      account.beforeAnswer += reports.beforeAnswer
      if (!execution.isOver) {
        if (execution.isUnheard) unheard++
        continue
      }
      account.ends++
      if (reports.isEarly) account.early++
      if (endMicros === Infinity) account.missed++
      else if (end !== null) delays.push(Math.max(0, endMicros - end))
    }
    const never = ends === null ? 0 : account.missed
    const executions = new Set(measured.map(({ kickoffId }) => kickoffId))
    const sent = ledger === null ? null : sentBy(ledger, runId, executions)
    return {
      result: {
        ...account,
        ...(unheard === 0 ? {} : { unheard }),
        refused: this.#refusals(),
        ledger: sent,
      },
      delay: { ended: collect(delays), censored: EMPTY_SAMPLE, never },
    }
  }

  #refusals(): PushesResult['refused'] {
    let unknown = 0
    for (const [id, reports] of this.#reports) if (!this.#known.has(id)) unknown += reports.length
    return {
      ...Object.fromEntries(this.#refused),
      ...(unknown > 0 ? { 'unknown-id': unknown } : {}),
    }
  }
}

function firstOf(reports: readonly PushReport[]): Micros {
  return reports.reduce((first, { atMicros }) => Math.min(first, atMicros), Infinity)
}

/** On the run's clock, by kickoff id. */
function trueEnds({ rows, clock }: Ledger): Map<string, Micros> {
  return new Map(
    rows.flatMap(({ kickoff_id: id, ended_ms: ms }) =>
      ms === null ? [] : [[id, toRunClock(ms, clock)] as const],
    ),
  )
}

/** Of the executions of the run that are `measured`. */
function sentBy(
  { rows }: Ledger,
  runId: string,
  measured: ReadonlySet<string>,
): PushesResult['ledger'] {
  const counts = { sent: 0, lost: 0 }
  for (const { correlation, kickoff_id: id, pushes = [] } of rows) {
    if (arrivalOf(correlation, runId) === null || !measured.has(id)) continue
    for (const { reports, sends } of pushes) {
      for (const { lost } of sends) counts[lost ? 'lost' : 'sent'] += reports.length
    }
  }
  return counts
}
