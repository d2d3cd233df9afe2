/** Maps the fake crew's clock to the run's by samples before and after, and fetches the ledger. */
import { performance } from 'node:perf_hooks'
import type { ClockMapping, ClockSample } from '../../result/clock.ts'
import { mapClock, toRunClock } from '../../result/clock.ts'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import type { IncidentLine } from '../../execution/record/journal-lines.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { FakeControl, MarksKept } from './control.ts'
import { messageOf } from '../../base/text.ts'

export interface ClockLink {
  /** Call right after the host's clock was set to zero: the mapping refers to that clock. */
  started(host: AnchoredClock): void
  /**
   * Samples again and fetches the ledger, and the faults seen by that run, after the last execution
   * ended. Null from a crew that keeps no ledger, and when it cannot be fetched: `tell` then
   * receives a line with the reason, at the moment of the call. It also receives a line when some
   * marks of faults are missing.
   */
  finish(
    runId: string,
    nowMicros: Micros,
    tell: (line: IncidentLine) => void,
  ): Promise<Ledger | null>
}

interface AnchoredClock {
  now(): Micros
  readonly anchorUnixMs: number
}

/**
 * The samples before the run are taken on the process's clock, before the run's clock starts; later
 * they would delay the first arrivals.
 */
export async function linkClocks(fake: FakeControl): Promise<ClockLink> {
  const before = await fake.sampleClock(processMicros)
  let zeroMicros = 0
  let anchorUnixMs: number | null = null
  return {
    started: (host) => {
      zeroMicros = processMicros() - host.now()
      anchorUnixMs = host.anchorUnixMs
    },
    finish: async (runId, nowMicros, tell) => {
      try {
        const after = await fake.sampleClock(processMicros)
        const rows = await fake.ledger()
        if (rows === null) return null
        const faults = await fake.faults(runId)
        const samples = ofOneClock(before, after).map((sample) => onRunClock(sample, zeroMicros))
        if (samples.length === 0) throw new Error('its clock could not be read')
        const clock = mapClock(samples, anchorUnixMs)
        if (faults === undefined) return { rows, clock }
        const missing = missingMarks(faults, clock, nowMicros)
        if (missing !== null) tell(missing)
        return { rows, clock, faults: faults.account }
      } catch (error) {
        tell(notFetched(nowMicros, error))
        return null
      }
    },
  }
}

function notFetched(atMicros: Micros, error: unknown): IncidentLine {
  const why = messageOf(error)
  const incident = { kind: 'note', note: { code: 'ledger-missing', error: why } } as const
  return { type: 'incident', instance: 0, atMicros, index: null, incident }
}

/** More than a clock of this machine drifts in weeks. */
const ANOTHER_CLOCK_MICROS = MICROS_PER_SECOND

/**
 * A restarted crew counts from another zero, and so does its ledger: samples of the former process
 * are ignored.
 */
function ofOneClock(before: ClockSample[], after: ClockSample[]): ClockSample[] {
  if (before.length === 0 || after.length === 0) return [...before, ...after]
  const apart = Math.abs(mapClock(after).offsetMicros - mapClock(before).offsetMicros)
  return apart > ANOTHER_CLOCK_MICROS ? after : [...before, ...after]
}

function processMicros(): Micros {
  return Math.floor(performance.now() * MICROS_PER_MS)
}

function onRunClock(sample: ClockSample, zeroMicros: Micros): ClockSample {
  return {
    ...sample,
    sentMicros: sample.sentMicros - zeroMicros,
    receivedMicros: sample.receivedMicros - zeroMicros,
  }
}

/**
 * A note for the journal; null when no mark of this run is missing, for example when the oldest
 * kept mark precedes the run.
 */
export function missingMarks(
  { droppedMarks, oldestMarkMs }: MarksKept,
  clock: ClockMapping,
  nowMicros: Micros,
): IncidentLine | null {
  if (droppedMarks === 0 || oldestMarkMs === null) return null
  const sinceMicros = toRunClock(oldestMarkMs, clock)
  if (sinceMicros < 0) return null
  return {
    type: 'incident',
    instance: 0,
    atMicros: nowMicros,
    index: null,
    incident: {
      kind: 'note',
      note: { code: 'marks-missing', marks: droppedMarks, untilMicros: sinceMicros },
    },
  }
}
