/**
 * The one clock of a run: what each instance tells on its own is shifted by its anchor onto that of
 * the first.
 */
import { unreachable } from '../base/assert.ts'
import { shiftMicros } from '../analysis/validity/clock.ts'
import type { FindingLine, JournalLine, RunLine } from '../execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'
import type { Micros } from '../base/units.ts'

interface Anchor {
  shiftMicros: Micros
  errorMicros: Micros
}

/** An instance whose `run` line was not seen counts as on this clock already. */
export class CommonClock {
  #zeroUnixMs: number | null
  readonly #anchors = new Map<number, Anchor>()

  /** `zeroUnixMs`: wall clock of the zero; null takes that of the first `run` line that comes. */
  constructor(zeroUnixMs: number | null) {
    this.#zeroUnixMs = zeroUnixMs
  }

  /** Null before the first `run` line. */
  get zeroUnixMs(): number | null {
    return this.#zeroUnixMs
  }

  began({ instance, anchorUnixMs, anchorErrorMicros }: RunLine): void {
    this.#zeroUnixMs ??= anchorUnixMs
    this.#anchors.set(instance, {
      shiftMicros: shiftMicros(anchorUnixMs, this.#zeroUnixMs),
      errorMicros: anchorErrorMicros,
    })
  }

  shiftOf(instance: number): Micros {
    return this.#anchors.get(instance)?.shiftMicros ?? 0
  }

  errorOf(instance: number): Micros {
    return this.#anchors.get(instance)?.errorMicros ?? 0
  }

  /** The line with its points in time on this clock; lengths of time stay what they are. */
  shifted(line: JournalLine): JournalLine {
    const shift = this.shiftOf(instanceOf(line))
    if (shift === 0) return line
    switch (line.type) {
      case 'run':
        return line
      case 'resumed':
        return {
          ...line,
          atMicros: line.atMicros + shift,
          cutMicros: line.cutMicros + shift,
        }
      case 'ended':
        return { ...line, record: shiftedRecord(line.record, shift) }
      case 'started':
        return {
          ...line,
          intendedMicros: line.intendedMicros + shift,
          atMicros: line.atMicros + shift,
        }
      case 'finding':
        return { ...line, atMicros: line.atMicros + shift, finding: shiftedFinding(line, shift) }
      case 'accepted':
      case 'finished':
        return { ...line, atMicros: line.atMicros + shift }
      default:
        return unreachable(line)
    }
  }
}

function instanceOf(line: JournalLine): number {
  return line.type === 'ended' ? line.record.instance : line.instance
}

function shiftedFinding({ finding }: FindingLine, shift: Micros): FindingLine['finding'] {
  if (finding.kind !== 'target-lost') return finding
  const { loss } = finding
  const sinceMicros = loss.sinceMicros + shift
  return { ...finding, loss: { ...loss, sinceMicros, untilMicros: loss.untilMicros + shift } }
}

/** Columns of requests count from `intendedMicros`. */
function shiftedRecord(record: ExecutionRecord, shift: Micros): ExecutionRecord {
  const or = (micros: Micros | null): Micros | null => (micros === null ? null : micros + shift)
  return {
    ...record,
    intendedMicros: record.intendedMicros + shift,
    sentMicros: or(record.sentMicros),
    acceptedMicros: or(record.acceptedMicros),
    endedMicros: record.endedMicros + shift,
    lastNotDoneSentMicros: or(record.lastNotDoneSentMicros),
    firstDoneReceivedMicros: or(record.firstDoneReceivedMicros),
    changes: record.changes.map(({ atMicros, task, completed, total }) => ({
      atMicros: atMicros + shift,
      task,
      completed,
      total,
    })),
  }
}
