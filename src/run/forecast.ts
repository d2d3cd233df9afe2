/** What a run is going to do, known before anything is sent. */
import type { Decidability } from '../result/verdict/decidable.ts'
import type { CrewPlace } from '../execution/record/crew-place.ts'
import type { Plan } from '../scenario/plan.ts'

/** A field is null when its value cannot be known in advance. */
export interface Forecast extends PlaceFacts {
  scenario: string
  engine: string
  seed: number
  speed: number
  kickoffs: number | null
  /** Kickoffs plus an estimate of polls, retries and confirmations. */
  requests: number | null
  /** The same if every execution takes until its deadline; without retries and confirmations. */
  mostRequests: number | null
  /** The highest rate of kickoffs, in arrivals per second. */
  peakKickoffsPerSecond: number | null
  /** Whether that is the mean of random arrivals, of which more may come in one second. */
  isPeakMean: boolean
  /** The time after which nothing arrives; null where a count of executions ends the run. */
  durationMs: number | null
  /** The longest time from the first arrival until the last execution has ended. */
  mostDurationMs: number
  /** The deadline: how long the last execution may be followed after that. */
  deadlineMs: number
  /** The cost in the currency of `--cost-per-kickoff`. */
  cost: number | null
  /** `maxCost`: in the currency of `cost`. */
  budget: Plan['budget'] & { maxCost: number | null }
  thresholds: readonly Decidability[]
}

export interface PlaceFacts {
  place: CrewPlace
  /** The proxy on the way to the target, without credentials. Default: none. */
  proxy?: string
  /** Tokens too short to be taken out of texts in which the target repeats them. Default: none. */
  shortTokens?: number
  /** The same of headers that are named as credentials. */
  shortHeaders?: number
}
