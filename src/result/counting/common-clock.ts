/**
 * The one clock of a run: the times that each instance reports are shifted by its anchor to the
 * clock of the first instance.
 */
import { unreachable } from '../../base/assert.ts'
import { shiftMicros } from '../clock.ts'
import type { IncidentLine, JournalLine, RunLine } from '../../execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import type { Micros } from '../../base/units.ts'

interface Anchor {
  shiftMicros: Micros
  errorMicros: Micros
}

/** An instance whose `run` line was not seen is assumed to be on this clock already. */
export class CommonClock {
  #zeroUnixMs: number | null
  readonly #anchors = new Map<number, Anchor>()

  /** `zeroUnixMs`: the wall clock of the zero; null takes that of the first `run` line. */
  constructor(zeroUnixMs: number | null) {
    this.#zeroUnixMs = zeroUnixMs
  }

  /** The wall clock of the zero; null before the first `run` line. */
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

  /** The line with its times shifted to this clock; durations do not change. */
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
      case 'incident':
        return { ...line, atMicros: line.atMicros + shift, incident: shiftedIncident(line, shift) }
      case 'accepted':
      case 'push':
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

function shiftedIncident({ incident }: IncidentLine, shift: Micros): IncidentLine['incident'] {
  if (incident.kind !== 'target-lost') return incident
  const { loss } = incident
  const sinceMicros = loss.sinceMicros + shift
  return { ...incident, loss: { ...loss, sinceMicros, untilMicros: loss.untilMicros + shift } }
}

/** The request columns are offsets from `intendedMicros`, so they need no shift. */
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
