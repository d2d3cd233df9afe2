/**
 * Everything that the lines of a run add up to, before any judgement: the recorder's output and the
 * analysis's input.
 */
import type { MeasuredOperation } from '../crew/answer.ts'
import type { MissingInputs } from '../crew/inputs/sentences.ts'
import type { FinishedLine, RunLine, TargetProbed } from '../execution/record/journal-lines.ts'
import type { RunNote } from '../execution/record/notes.ts'
import type { ExecutionRecord, Outcome } from '../execution/record/record.ts'
import type { TargetLoss } from '../scenario/target-loss.ts'
import type { Micros } from '../base/units.ts'
import type { OpenExecution } from './counting/open-executions.ts'
import type { ArrivalBin } from './counting/tallies/arrival-series.ts'
import type { AfterLoss } from './counting/tallies/claims.ts'
import type { RuleCount } from './counting/tallies/incidents.ts'
import type { ScenarioErrors } from './document-parts.schema.ts'
import type { Peak } from './counting/tallies/flow.ts'
import type { WindowTally } from './counting/tallies/window.ts'
import type { Strip } from './counting/tallies/highlights.ts'
import type { InstanceTally } from './counting/tallies/instances.ts'
import type { PeopleCounts } from './counting/tallies/people.ts'
import type { PushCounts } from './counting/tallies/pushes.ts'
import type { PushbackTally, RequestTally } from './counting/tallies/request-tally.ts'
import type { Timeline } from './counting/tallies/timeline.ts'
import type { UsageAccount } from './counting/usage-recorder.ts'
import type { EndReasonCount } from './document.ts'
import type { Sample } from './statistics/sample.ts'

/** What metrics are measured from: a recorder can give it while the run goes on. */
export interface Measurable {
  window: WindowTally
  /** The window in the order of its arrivals; empty if that is unknown. */
  series: readonly ArrivalBin[]
  requests: Record<MeasuredOperation, RequestTally> & {
    pushback: PushbackTally
    afterLoss: AfterLoss
  }
  lateness: Sample
  /** Null if nobody was seen to be asked. */
  people: PeopleCounts | null
  /** Null if the run listens for none. */
  pushes: PushCounts | null
  contract: {
    answers: number
    /** Polls sent after an end. */
    confirmations: number
    rules: ReadonlyMap<string, RuleCount>
  }
  /** Null while the run is in progress. */
  inFlight: Peak | null
  /** Whether the plan says what tokens cost. */
  isPriced: boolean
  /** Claims that the ledger contradicts, of this many rows; null without a ledger. */
  ledgerWrong: { wrong: number; rows: number } | null
  /**
   * Says for each instance whether the target still answered when its last execution had ended;
   * instances that did not find out are missing.
   */
  probes: readonly Omit<TargetProbed, 'kind'>[]
}

export interface Observations extends Measurable {
  /** One per instance, by instance number. */
  runs: readonly RunLine[]
  finished: readonly FinishedLine[]
  /** In order of instance number; a missing one left no line. */
  instances: readonly InstanceTally[]
  /** The latest time on the run's clock in any line. */
  lastSeenMicros: Micros
  /** `ended` lines, including the warm-up. */
  endedLines: number
  /** Sum of (ended - accepted) over all accepted records, in execution-microseconds. */
  inFlightSumMicros: number
  /** Started and not ended: left by a crash. */
  open: readonly OpenExecution[]
  /** Executions that `crewload resume` continued. */
  resumed: number
  /** When the run was first cut before it was resumed; null if it was not. */
  cutMicros: Micros | null
  /** False where a resumption only asked again about executions that waited for people. */
  wasCut: boolean
  /**
   * The time from which arrivals were no longer sent: a budget was spent, the run was stopped or
   * cut, or the target was lost. Null if all were sent.
   */
  lastDueMicros: Micros | null
  /** How often each occurred; outcomes that never occurred are missing. */
  warmUpOutcomes: Partial<Record<Outcome, number>>
  /** Errors of the scenario's functions, warm-up included; empty if the functions worked. */
  scenarioErrors: readonly ScenarioErrors[]
  /** Keyed by `name=value`. */
  tags: ReadonlyMap<string, WindowTally>
  /** How long completed executions of the window were at work, as the crew reports. */
  reported: Sample
  /** Of the whole run, warm-up included. */
  usage: UsageAccount
  reasons: Partial<Record<Outcome, EndReasonCount[]>>
  dialects: ReadonlySet<string>
  /** The losses of the target, at most one for each instance, in order of time. */
  losses: readonly TargetLoss[]
  clockSteps: number
  /** Lines that could not be written. */
  journalErrors: number
  /** Why the first of them could not; null if there was none, or nobody said why. */
  journalTrouble: string | null
  notes: readonly RunNote[]
  /** Inputs that the crew lists and the scenario does not give. */
  missingInputs: MissingInputs & { hasAccepted: boolean }
  timeline: Timeline
  /** A seeded sample of ended executions, by index. */
  strips: readonly Strip[]
  samples: readonly { why: 'slowest' | 'failed' | 'random'; record: ExecutionRecord }[]
}
