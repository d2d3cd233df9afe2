/** The last line of a run by iterations: what k6's own metrics counted, apart from the lines. */
import type { FinishedLine } from '../../execution/journal.ts'
import type { Micros } from '../../base/units.ts'
import { COUNTERS } from './iterations-meters.ts'

/** What k6 gives `handleSummary`, as far as it is read; counters that nothing was added to are missing. */
export interface K6Summary {
  metrics: Readonly<Record<string, { values: Readonly<Record<string, number>> } | undefined>>
}

export function counted({ metrics }: K6Summary, counter: keyof typeof COUNTERS): number {
  return metrics[COUNTERS[counter]]?.values['count'] ?? 0
}

/** Arrivals whose iteration k6 never began. */
function neverBegun(summary: K6Summary): number {
  return counted(summary, 'dropped') - counted(summary, 'unserved')
}

/**
 * `arrivals` holds k6's count of iterations against the records: begun, and not begun where a schedule asked for them. In flight at once is what no VU can
 * see; the integral is the sum over executions, each counted live by its own engine.
 */
export function finishedLine(
  summary: K6Summary,
  atMicros: Micros,
  scheduled: boolean,
): FinishedLine {
  const count = (counter: keyof typeof COUNTERS): number => counted(summary, counter)
  const stopped = count('stoppedNow') > 0 ? 'now' : count('drained') > 0 ? 'drained' : null
  return {
    type: 'finished',
    instance: 0,
    atMicros,
    stopped,
    stopReason: null,
    engine: {
      arrivals: count('arrivals') + (scheduled ? neverBegun(summary) : 0),
      ended: count('ended'),
      inFlightIntegralMicros: count('inFlightMicros'),
      maxInFlight: null,
      confirmations: count('confirmations'),
    },
    host: {
      utilisationSustained: null,
      utilisationMean: null,
      connectionsOpened: count('connections'),
      clockSteps: 0,
      journalErrors: 0,
      peakMemoryBytes: null,
    },
  }
}
