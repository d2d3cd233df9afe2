/** The document of one recovery test, `recovery.json`: every number that its reports show stands here once. Times in milliseconds. */
import type { Finding, Quantity, Reason } from '../../analysis/document.ts'

export interface RecoveryDocument {
  schema: 'crewload/recovery/1'
  crewload: string
  run: RecoveryRun
  verdict: RecoveryVerdict
  /** Of the trials whose outcome is known. */
  measures: RecoveryMeasures
  /** One a seed, in order; those that were not made are missing. */
  trials: RecoveryTrial[]
  /** The course of one of them, the first with the outcome that most have; null without a trial. */
  course: RecoveryCourse | null
  /** Null when it was not looked for. */
  tipping: TippingPoint | null
  findings: Finding[]
}

/** What will be done, before anything is sent. */
export interface RecoveryPlan {
  scenario: string
  target: string
  /** `fake crew "default"`, or null. */
  profile: string | null
  engine: 'node' | 'virtual'
  /** What the virtual network does; null for a real one. */
  network: string | null
  speed: number
  /** The load that is held: executions wanted a second. */
  wantedPerSecond: number
  trigger: { kind: 'fault' | 'spike' | 'command'; words: string }
  warmUpMs: number
  /** Steady, after the warm-up and before the trigger. */
  beforeMs: number
  /** The size of the trigger. */
  triggerMs: number
  /** After the trigger. */
  observeMs: number
  /** Later than so long after the trigger, recovery is slow. */
  withinMs: number
  /** Slow is then a failure. */
  withinAsked: boolean
  deadlineMs: number
  seeds: number[]
  /** A second run of each seed, without the trigger, shows that the load is carried. */
  control: boolean
  bisect: boolean
  /** How the client repeats a kickoff, in words. */
  client: string
}

export interface RecoveryRun extends RecoveryPlan {
  id: string
  ended: 'complete' | 'interrupted'
  /** ISO 8601, UTC. */
  startedAt: string
  durationMs: number
  /** Runs of the scenario in all: trials, control runs and those of the bisection. */
  runs: number
  /** What repeats it, free of secrets; null where it was not started from the command line. */
  command: string | null
  node: string
}

export type RecoveryOutcome =
  /** Service is back within the bound. */
  | 'recovers'
  /** Later than that, and for good. */
  | 'recovers-slowly'
  /** Still below at the end, under a load that it carried before: metastable. */
  | 'does-not-recover'

export interface RecoveryVerdict {
  outcome: RecoveryOutcome | 'inconclusive' | 'invalid'
  /** Of trials with a known outcome: does not recover, and its 95 % interval. */
  tipped: Quantity
  counts: Record<RecoveryOutcome | 'unclear', number>
  /** Why it is inconclusive or invalid, each with its remedy. */
  reasons: Reason[]
  sentence: string
}

/** Medians over the trials, with their range. Null where no trial tells. */
export interface RecoveryMeasures {
  /** Executions completed within their deadline, a second, before the trigger. */
  formerPerSecond: Spread | null
  /** From the trigger's end until service was back; of trials that recovered. */
  recoveryMs: Spread | null
  /** How finely that time is known. */
  windowMs: number | null
  /** Of the former goodput, in the last quarter of the observation. */
  goodputAfter: Spread | null
  attempts: RecoveryPhases
  /** Executions that the crew's ledger saw start for each one wanted; null without a ledger. */
  started: RecoveryPhases | null
  /** Executions that wait for a worker, by the ledger. */
  backlog: { peak: Spread; end: Spread } | null
}

export interface Spread {
  median: number
  least: number
  most: number
}

/** Kickoffs sent, or started, for each execution wanted. `after`: in the last quarter of the observation. */
export interface RecoveryPhases {
  before: Spread | null
  trigger: Spread | null
  after: Spread | null
}

export interface RecoveryTrial {
  seed: number
  outcome: RecoveryOutcome | 'unclear'
  /** Why it is unclear; null otherwise. */
  why: string | null
  /** Executions wanted before the trigger, and completed within their deadline. */
  before: { wanted: number; served: number }
  windowMs: number | null
  /** Null when it did not recover, or is unclear. */
  recoveryMs: number | null
  /** Shares of those wanted that were served: in the trigger, in the last quarter of the observation, and in both without the trigger. */
  servedTrigger: Quantity
  servedAfter: Quantity
  servedControl: Quantity | null
  attempts: PhaseRatios
  started: PhaseRatios | null
  backlog: { peak: number; end: number } | null
  /** Executions that the client waited for at the end of the observation. */
  inFlightEnd: number
}

export interface PhaseRatios {
  before: number | null
  trigger: number | null
  after: number | null
}

/** Columns of equal length over time, from the end of the warm-up to the end of the observation. */
export interface RecoveryCourse {
  seed: number
  outcome: RecoveryTrial['outcome']
  /** Of the run's clock: where the first column begins. */
  fromMs: number
  stepMs: number
  triggerFromMs: number
  triggerToMs: number
  /** Service was back; null for never, or where it is unclear. */
  restoredMs: number | null
  wantedPerSecond: number[]
  /** Completed within their deadline, by when they were wanted. */
  goodputPerSecond: number[]
  /** The same without the trigger; null without a control run. */
  controlPerSecond: number[] | null
  attemptsPerSecond: number[]
  /** At the end of each step: executions that the client waits for. */
  inFlight: number[]
  /** By the ledger, at the end of each step; null without one. */
  waiting: number[] | null
  running: number[] | null
}

export interface TippingPoint {
  /**
   * `between`: of the trials at `lowMs` most recover, of those at `highMs` most do not. `above`: they recover at every size that was tried.
   * `below`: at none. `unknown`: too few trials were clear.
   */
  kind: 'between' | 'above' | 'below' | 'unknown'
  lowMs: number | null
  highMs: number | null
  /** Where it lies with 95 % confidence: fewer than half tip at the one, more at the other. Null where no size is sure. */
  sureLowMs: number | null
  sureHighMs: number | null
  /** In rising order. */
  sizes: TippingSize[]
  sentence: string
}

export interface TippingSize {
  sizeMs: number
  /** Trials that did not recover, of those with a known outcome; with the 95 % interval of their share. */
  tipped: number
  of: number
  low: number | null
  high: number | null
}
