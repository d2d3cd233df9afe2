/**
 * The measured window as the analysis takes it: with what a ledger tells, and what a crash left
 * open.
 */
import type { Group, OpenExecution, Throughput } from '../analysis/observations.ts'
import type { Reconciliation } from '../analysis/ledger/reconcile.ts'
import type { Micros } from '../base/units.ts'
import type { CountedLifetimes, GroupTally } from './tallies/group.ts'
import type { Histogram } from './histograms/histogram.ts'

/** In histograms that can be encoded. */
interface MeasuredWindow extends Group {
  executions: CountedLifetimes<Histogram>
  kickoffs: CountedLifetimes<Histogram>
  detection: CountedLifetimes<Histogram>
}

/** Makes a histogram that lives as long as one document is made. */
export type Collect = (values: Iterable<number>) => Histogram

interface Additions {
  /** Of the window: started, and without an end. */
  open: readonly OpenExecution[]
  lastSeenMicros: Micros
  reconciliation: Reconciliation | null
  throughput: Throughput | null
  collect: Collect
}

/** What is open was watched to the last moment that any line tells. */
export function measuredWindow(
  tally: GroupTally<Histogram>,
  { open, lastSeenMicros, reconciliation, throughput, collect }: Additions,
): MeasuredWindow {
  const { executions, kickoffs, detection } = tally
  const watched = (each: OpenExecution): Micros => lastSeenMicros - each.intendedMicros
  const unanswered = open.filter(({ acceptedMicros }) => acceptedMicros === null)
  const answered = open.flatMap(({ acceptedMicros, intendedMicros }) =>
    acceptedMicros === null ? [] : [acceptedMicros - intendedMicros],
  )
  return {
    ...tally.with({ throughput, open: open.length }),
    executions: {
      ...executions,
      censored: joined(executions.censored, open.map(watched), collect),
    },
    kickoffs: {
      ended: joined(kickoffs.ended, answered, collect),
      censored: joined(kickoffs.censored, unanswered.map(watched), collect),
      never: kickoffs.never,
    },
    detection: reconciliation === null ? detection : byLedger(detection, reconciliation, collect),
  }
}

function joined(sample: Histogram, values: readonly number[], collect: Collect): Histogram {
  if (values.length === 0) return sample
  const all = collect(values)
  all.add(sample)
  return all
}

/**
 * Never for those of whose end the client did not learn, kickoffs without an id that ran to one
 * too.
 */
function byLedger(
  { censored, never }: CountedLifetimes<Histogram>,
  { detection, unlearned }: Reconciliation,
  collect: Collect,
): CountedLifetimes<Histogram> {
  const ended = collect(detection.map(({ micros }) => micros))
  return { ended, censored, never: never + unlearned }
}
