/**
 * The names of metrics as types, so that an editor completes them and a slip does not compile;
 * `parseMetric` is the grammar itself.
 */
import type { Operation } from '../../crew/answer.ts'
import type { OUTCOME_NAMES, RequestTime } from './metric-families.ts'

type StatisticName = 'min' | 'max' | 'mean' | `p${number}`

type TimeName =
  | `${Operation}.${RequestTime}`
  | 'lateness'
  | 'execution'
  | 'execution.completed'
  | 'detectionDelay'

/** What a threshold bounds; `crewload schema metrics` prints the grammar. */
export type MetricName =
  | `${TimeName}.${StatisticName}`
  | `${Operation}.error`
  | 'execution.failed'
  | `outcome.${(typeof OUTCOME_NAMES)[number]}`
  | 'outcome.unserved'
  /** One of the scenario's checks, by its name. */
  | `checks.${string}`
  | `contract.${'violations' | 'documented'}`
  | `polls.${'perExecution' | 'wasted' | 'wastedShare'}`
  | 'connections.handshakeShare'
  | `throughput.${'accepted' | 'completed'}`
  | 'retries.ratio'
  | 'inFlight.max'
  | 'ledger.wrong'
  | 'target.alive'
