/** The requests of one run as evidence of limits, and when its journal lacks some of them. */
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { Micros } from '../../../base/units.ts'
import type {
  AcceptedLine,
  FindingLine,
  JournalLine,
  ResumedLine,
} from '../../../execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { RequestColumns } from '../../../execution/record/record.ts'
import { requestsIn } from '../../../execution/record/request-row.ts'
import type { RecordedOperation, RecordedRequest, Span } from '../analyse/recorded.ts'

/** An execution whose end is not in the journal. */
interface Open {
  /** Its kickoff was intended then, and from `fromMs` on its polls are missing. */
  beginMs: number
  fromMs: number
  isAccepted: boolean
}

/** Give it each line of the journal, in order. Times are Unix milliseconds. */
export class RecordedRun {
  readonly folder: string
  target = ''
  /** The crew was started for the run, and ended with it. */
  ownCrew = false
  speed = 1
  readonly #anchors = new Map<number, number>()
  readonly #open = new Map<number, Open>()
  readonly #status: RecordedRequest[] = []
  /** By execution: the line of its answer tells its kickoff, and so does its end. */
  readonly #kickoffs = new Map<number, RecordedRequest[]>()
  readonly #statusGaps: Span[] = []
  readonly #kickoffGaps: Span[] = []
  #lastMs = -Infinity

  constructor(folder: string) {
    this.folder = folder
  }

  saw(line: JournalLine): void {
    switch (line.type) {
      case 'run':
        this.target = line.target
        this.ownCrew = line.ownCrew
        this.speed = line.speed
        this.#anchors.set(line.instance, line.anchorUnixMs)
        break
      case 'started': {
        const fromMs = this.#saw(line.instance, line.atMicros)
        const beginMs = this.#ms(line.instance, line.intendedMicros)
        this.#open.set(line.index, { beginMs, fromMs, isAccepted: false })
        break
      }
      case 'accepted':
        this.#accepted(line)
        break
      case 'ended':
        this.#ended(line.record)
        break
      case 'resumed':
        this.#resumed(line)
        break
      case 'finding':
        this.#found(line)
        break
      default:
        break
    }
  }

  /** Executions without an end in the journal: of them the polls are missing. */
  get unfinished(): number {
    return this.#open.size
  }

  get status(): RecordedOperation {
    const gaps = [...this.#open.values()].map((each) => this.#gap(each))
    return { requests: this.#status, gaps: [...this.#statusGaps, ...gaps] }
  }

  get kickoff(): RecordedOperation {
    const unanswered = [...this.#open.values()].filter(({ isAccepted }) => !isAccepted)
    const gaps = unanswered.map((each) => this.#gap(each))
    const requests = [...this.#kickoffs.values()].flat()
    return { requests, gaps: [...this.#kickoffGaps, ...gaps] }
  }

  /** A process that was killed has written no line afterwards. */
  #gap({ fromMs }: Open, untilMs = this.#lastMs): Span {
    return { fromMs, untilMs: Math.max(fromMs, untilMs) }
  }

  #ms(instance: number, atMicros: Micros): number {
    return (this.#anchors.get(instance) ?? 0) + atMicros / MICROS_PER_MS
  }

  #saw(instance: number, atMicros: Micros): number {
    const ms = this.#ms(instance, atMicros)
    this.#lastMs = Math.max(this.#lastMs, ms)
    return ms
  }

  #accepted({ index, instance, atMicros, kickoff }: AcceptedLine): void {
    const atMs = this.#saw(instance, atMicros)
    const { beginMs, fromMs } = this.#open.get(index) ?? { beginMs: atMs, fromMs: atMs }
    this.#open.set(index, { beginMs, fromMs, isAccepted: true })
    this.#kickoffs.set(index, sentIn(kickoff, beginMs))
  }

  #ended({ index, instance, intendedMicros, endedMicros, kickoff, polls }: ExecutionRecord): void {
    const beginMs = this.#ms(instance, intendedMicros)
    this.#saw(instance, endedMicros)
    this.#open.delete(index)
    this.#status.push(...sentIn(polls, beginMs))
    const kickoffs = sentIn(kickoff, beginMs)
    if (kickoffs.length > 0) this.#kickoffs.set(index, kickoffs)
  }

  /** What was cut before is missing for good; of what follows, every poll is told. */
  #resumed({ instance, indexes, atMicros, cutMicros }: ResumedLine): void {
    const cutMs = this.#ms(instance, cutMicros)
    const atMs = this.#saw(instance, atMicros)
    for (const index of indexes) {
      const open = this.#open.get(index)
      if (open !== undefined) this.#statusGaps.push(this.#gap(open, cutMs))
      if (open?.isAccepted === false) this.#kickoffGaps.push(this.#gap(open, cutMs))
      this.#open.set(index, { beginMs: atMs, fromMs: atMs, isAccepted: true })
    }
  }

  /** A poll that confirms an end counts against a limit as any other does. */
  #found({ instance, atMicros, finding }: FindingLine): void {
    const receivedMs = this.#saw(instance, atMicros)
    if (finding.kind !== 'confirmation') return
    const sentMs = receivedMs - finding.serviceMicros / MICROS_PER_MS
    this.#status.push({ sentMs, receivedMs, code: finding.answer, askedMs: null })
  }
}

/** Those that were never sent say nothing. */
function sentIn(columns: RequestColumns, beginMs: number): RecordedRequest[] {
  const { asked = [] } = columns
  const waits = new Map(asked.map(({ request, micros }) => [request, micros / MICROS_PER_MS]))
  return requestsIn(columns, 0).flatMap(({ answer, sentMicros, serviceMicros }, i) => {
    if (serviceMicros < 0) return []
    const sentMs = beginMs + sentMicros / MICROS_PER_MS
    const receivedMs = sentMs + serviceMicros / MICROS_PER_MS
    return [{ sentMs, receivedMs, code: answer, askedMs: waits.get(i) ?? null }]
  })
}
