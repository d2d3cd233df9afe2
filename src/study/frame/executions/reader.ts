/**
 * Reads the executions of one run, for every study: from its journal, and from its ledger if there
 * is one. All times are on the clock of the run, as measured.
 */
import { arrivalOf } from '../../../result/ledger/faults.ts'
import type { Ledger } from '../../../result/ledger/reconcile.ts'
import { countedFrom, toRunClock } from '../../../result/clock.ts'
import type { Micros } from '../../../base/units.ts'
import type { LedgerRow } from '../../../crew/ledger.ts'
import type {
  IncidentLine,
  JournalLine,
  ResumedLine,
  RunLine,
} from '../../../execution/record/journal-lines.ts'
import type { ExecutionRecord, Outcome, RequestColumns } from '../../../execution/record/record.ts'
import { CommonClock } from '../../../result/counting/common-clock.ts'
import type { ExecutionPushes } from '../../../result/counting/tallies/pushes.ts'
import { PushTally } from '../../../result/counting/tallies/pushes.ts'
import type { ExecutionTimes } from './times.ts'
import { errorOfReports, scaledTimes, timesByLedger, timesByPolls } from './times.ts'
import type { AnswerCode } from '../../../crew/observation.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'
import type { Request } from '../../../execution/record/request.ts'
import { sentIn } from '../../../execution/record/request.ts'

/** The source of the starts and ends of executions. */
export const TIMES_BY = ['ledger', 'reported', 'polls'] as const
export type TimesBy = (typeof TIMES_BY)[number]

/** Of several runs. */
export function timesByOf(runs: readonly TimesBy[]): TimesBy | 'mixed' {
  const [first, ...others] = new Set(runs)
  return others.length === 0 && first !== undefined ? first : 'mixed'
}

export const TIMES_BY_WORDS: Readonly<Record<TimesBy | 'mixed', string>> = {
  ledger: 'starts and ends by the ledger',
  reported: 'starts by the times that the crew reports, ends between two polls',
  polls: 'ends between two polls, starts by the order of arrival',
  mixed: 'starts and ends by several sources',
}

export interface ReadExecution extends ExecutionTimes {
  /** The time of the arrival. */
  intended: Micros
  /** When the client learned of the end; null if it did not. */
  known: Micros | null
  outcome: Outcome
  /** As it was written: its times are on the clock of the run. */
  record: ExecutionRecord
  /** Its row of the ledger; null without one. */
  row: LedgerRow | null
  /** What pushes reported of it; null if the run listened for none, or it was not accepted. */
  pushes: ExecutionPushes | null
}

export interface RunExecutions {
  /** By intended start. Executions that were never sent are not among them. */
  executions: readonly ReadExecution[]
  by: TimesBy
  /** Converts milliseconds of the ledger's clock; null without a ledger. */
  onRunClock: ((ms: number) => Micros) | null
  /** What the ledger says of the executions of other clients. */
  others: readonly LedgerRow[]
}

/** An execution whose end is not in the journal; nor is any poll of it from `fromMicros` on. */
interface Unfinished {
  intendedMicros: Micros
  fromMicros: Micros
  isAccepted: boolean
}

/** An execution that was accepted, and in flight when the journal ended or was cut. */
interface LeftInFlight {
  intendedMicros: Micros
  acceptedMicros: Micros
  kickoff: RequestColumns
}

/** Pass each line of the journal to `saw`, in order. */
export class RunReader {
  readonly #clock = new CommonClock(null)
  readonly #most: number
  readonly #runIds = new Set<string>()
  readonly #ended: ExecutionRecord[] = []
  readonly #unfinished = new Map<number, Unfinished>()
  readonly #leftInFlight = new Map<number, LeftInFlight>()
  readonly #confirmations: KnownRequest[] = []
  readonly #gaps: Record<MeasuredOperation, TimeSpan[]> = { kickoff: [], status: [] }
  /** Null if the run listens for none. */
  #pushes: PushTally | null = null
  #first: RunLine | null = null
  #measured = 0
  #lastMicros: Micros = 0
  #cutMicros: Micros | null = null
  #lost: AnswerCode | null = null

  /** `most`: the number of executions kept that were measured; the others are kept with them. */
  constructor(most = Infinity) {
    this.#most = most
  }

  /** The first line of the journal; null if it has none yet. */
  get first(): RunLine | null {
    return this.#first
  }

  get speed(): number {
    return this.#first?.speed ?? 1
  }

  /** The wall clock of the run's zero, in Unix milliseconds. */
  get zeroUnixMs(): number {
    return this.#clock.zeroUnixMs ?? 0
  }

  /** Executions without an end in the journal. */
  get unfinished(): number {
    return this.#unfinished.size
  }

  /** How the target failed at its end, as a status code or a class; null if it did not. */
  get lost(): AnswerCode | null {
    return this.#lost
  }

  /** All ends in the journal: those before a resumption too. */
  get ended(): readonly ExecutionRecord[] {
    return this.#ended
  }

  /** When the executions were accepted that were in flight when the journal ended or was cut. */
  get leftInFlight(): { acceptedMicros: readonly Micros[]; untilMicros: Micros } {
    return {
      acceptedMicros: [...this.#leftInFlight.values()].map((each) => each.acceptedMicros),
      untilMicros: this.#cutMicros ?? this.#lastMicros,
    }
  }

  saw(line: JournalLine): void {
    if (line.type === 'run') {
      this.#clock.began(line)
      this.#runIds.add(line.runId)
      this.#first ??= line
      if (line.plan.webhooks !== undefined) this.#pushes ??= new PushTally()
      return
    }
    const shifted = this.#clock.shifted(line)
    this.#lastMicros = Math.max(this.#lastMicros, timeOf(shifted))
    switch (shifted.type) {
      case 'started': {
        const { index, intendedMicros, atMicros } = shifted
        this.#unfinished.set(index, { intendedMicros, fromMicros: atMicros, isAccepted: false })
        break
      }
      case 'accepted': {
        const { index, atMicros, kickoff } = shifted
        const known = this.#unfinished.get(index)
        const { intendedMicros = atMicros, fromMicros = atMicros } = known ?? {}
        this.#unfinished.set(index, { intendedMicros, fromMicros, isAccepted: true })
        this.#leftInFlight.set(index, { intendedMicros, acceptedMicros: atMicros, kickoff })
        break
      }
      case 'ended':
        this.#sawEnd(shifted.record)
        break
      case 'resumed':
        this.#sawResumption(shifted)
        break
      case 'incident':
        this.#sawIncident(shifted)
        break
      case 'push':
        this.#pushes?.push(shifted)
        break
      default:
        break
    }
  }

  #sawEnd(record: ExecutionRecord): void {
    this.#unfinished.delete(record.index)
    // The polls of a resumed execution before the cut are missing.
    if (!record.resumed) this.#leftInFlight.delete(record.index)
    const isMeasured = record.sentMicros !== null && !record.warmUp && !record.resumed
    if (!isMeasured || this.#measured++ < this.#most) this.#ended.push(record)
  }

  #sawResumption({ indexes, atMicros, cutMicros }: ResumedLine): void {
    this.#cutMicros ??= cutMicros
    for (const index of indexes) {
      const unfinished = this.#unfinished.get(index)
      if (unfinished !== undefined) {
        const gap = gapOf(unfinished, cutMicros)
        this.#gaps.status.push(gap)
        if (!unfinished.isAccepted) this.#gaps.kickoff.push(gap)
      }
      const intendedMicros = unfinished?.intendedMicros ?? atMicros
      this.#unfinished.set(index, { intendedMicros, fromMicros: atMicros, isAccepted: true })
      this.#leaveAgain(index)
    }
  }

  /** An execution that had ended for its client, and was resumed: it waited for a person. */
  #leaveAgain(index: number): void {
    const record = this.#ended.findLast((each) => each.index === index)
    if (record === undefined || record.acceptedMicros === null) return
    const { intendedMicros, acceptedMicros, kickoff } = record
    if (!record.resumed) this.#leftInFlight.set(index, { intendedMicros, acceptedMicros, kickoff })
  }

  #sawIncident({ atMicros, incident }: IncidentLine): void {
    if (incident.kind === 'target-lost') this.#lost = incident.loss.first
    if (incident.kind === 'target-probed' && !incident.usable) this.#lost = incident.last
    if (incident.kind === 'confirmation') {
      this.#confirmations.push(confirmationIn(incident, atMicros))
    }
  }

  /** All requests of an operation that the journal holds, and when others were sent. */
  requests(operation: MeasuredOperation): RequestsKnown {
    const unfinished = [...this.#unfinished.values()]
    const silent = operation === 'status' ? unfinished : unfinished.filter((e) => !e.isAccepted)
    const gaps = [...this.#gaps[operation], ...silent.map((each) => gapOf(each, this.#lastMicros))]
    if (operation === 'status') {
      const polls = this.#ended.flatMap((each) => sentIn(each.polls, each.intendedMicros))
      return { requests: [...polls, ...this.#confirmations], gaps }
    }
    return { requests: this.#kickoffs(), gaps }
  }

  /** The record of a resumed execution has no kickoff, and the line of its answer has it. */
  #kickoffs(): Request[] {
    const kickoffs = new Map<number, Request[]>()
    for (const [index, { kickoff, intendedMicros }] of this.#leftInFlight) {
      kickoffs.set(index, sentIn(kickoff, intendedMicros))
    }
    for (const { index, kickoff, intendedMicros } of this.#ended) {
      const sent = sentIn(kickoff, intendedMicros)
      if (sent.length > 0) kickoffs.set(index, sent)
    }
    return [...kickoffs.values()].flat()
  }

  /**
   * A run without a ledger is read as that of a target that has none. `scale`: by which all times
   * are multiplied, such as the speed of a time-lapse for those of the crew's own clock.
   */
  read(ledger: Ledger | null, scale = 1): RunExecutions {
    const rows = new Map(ledger?.rows.map((row) => [row.kickoff_id, row]))
    const clock = ledger === null ? null : countedFrom(this.zeroUnixMs, ledger.clock)
    const onRunClock = clock === null ? null : (ms: number) => toRunClock(ms, clock)
    const records = [...new Map(this.#ended.map((each) => [each.index, each])).values()]
      .filter(({ sentMicros }) => sentMicros !== null)
      .toSorted((a, b) => a.intendedMicros - b.intendedMicros)
    const errorMicros = errorOfReports(records)
    const executions = records.map((record): ReadExecution => {
      const row = record.kickoffId === null ? null : (rows.get(record.kickoffId) ?? null)
      const times =
        row === null || onRunClock === null
          ? timesByPolls(record, errorMicros)
          : timesByLedger(row, onRunClock)
      const { ended } = times
      const end = row === null ? null : (ended?.high ?? null)
      const known = record.firstDoneReceivedMicros === null ? null : record.endedMicros * scale
      return {
        intended: record.intendedMicros * scale,
        known,
        outcome: record.outcome,
        record,
        row,
        pushes: this.#pushesOf(record, end, clock?.errorMicros ?? 0),
        ...scaledTimes(times, scale),
      }
    })
    const own = new Set(records.map(({ kickoffId }) => kickoffId))
    return {
      executions,
      by: ledger !== null ? 'ledger' : areReported(executions) ? 'reported' : 'polls',
      onRunClock,
      others: ledger?.rows.filter((row) => !own.has(row.kickoff_id) && !this.#isOurs(row)) ?? [],
    }
  }

  #pushesOf(record: ExecutionRecord, end: Micros | null, slack: Micros): ReadExecution['pushes'] {
    const { kickoffId, acceptedMicros, lastNotDoneSentMicros: workedMicros } = record
    if (this.#pushes === null || kickoffId === null || acceptedMicros === null) return null
    return this.#pushes.of({ kickoffId, acceptedMicros, workedMicros }, end, slack)
  }

  /** Only the ledger knows the id of an execution whose kickoff was never answered. */
  #isOurs({ correlation }: LedgerRow): boolean {
    return [...this.#runIds].some((run) => arrivalOf(correlation, run) !== null)
  }
}

function timeOf(line: JournalLine): Micros {
  if (line.type === 'run') return 0
  return line.type === 'ended' ? line.record.endedMicros : line.atMicros
}

/** A process that was killed has written no line afterwards. */
function gapOf({ fromMicros }: Unfinished, untilMicros: Micros): TimeSpan {
  return { fromMicros, untilMicros: Math.max(fromMicros, untilMicros) }
}

function areReported(executions: readonly ReadExecution[]): boolean {
  const completed = executions.filter(({ record }) => record.outcome === 'completed')
  return completed.length > 0 && completed.every(({ ranMicros }) => ranMicros !== null)
}

/** A poll that confirms an end has no row in a record. */
type KnownRequest = Pick<Request, 'sentMicros' | 'doneMicros' | 'answer' | 'askedMicros'>

interface TimeSpan {
  fromMicros: Micros
  untilMicros: Micros
}

interface RequestsKnown {
  requests: readonly KnownRequest[]
  /** Meanwhile others were sent that are not among them. */
  gaps: readonly TimeSpan[]
}

type ConfirmationPoll = Extract<IncidentLine['incident'], { kind: 'confirmation' }>

/** A poll that confirms an end counts against a limit as any other does. */
function confirmationIn(
  { answer, serviceMicros }: ConfirmationPoll,
  doneMicros: Micros,
): KnownRequest {
  return { sentMicros: doneMicros - serviceMicros, doneMicros, answer, askedMicros: null }
}
