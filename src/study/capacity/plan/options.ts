/** The options of a search for capacity, `findCapacity()`, which the CLI fills in. */
import type { RunOptions } from '../../../run/options.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'
import type { CapacityPlan } from '../document.ts'

type Shared = Omit<RunOptions, keyof StudyOptions<CapacityPlan> | 'engine' | 'faults'>

export interface CapacityOptions extends Shared, StudyOptions<CapacityPlan> {
  /**
   * The name of a shipped scenario, or a file. Its inputs, polling, retries and deadline are used,
   * but not its load.
   */
  scenario: string
  /** The promises: `execution.p95 < 120s, outcome.unserved < 2%`. */
  slo: string
  /**
   * Folders of past runs of the same crew, which count as evidence. Without a target and a profile,
   * they alone are the evidence, and nothing is sent. Default: none.
   */
  from?: readonly string[]
  /** The half-width of the interval asked for, 0.5 % to 50 % of the capacity. Default `5%`. */
  within?: string
  /** The required rate: `300/h`. A lower capacity is a failure. */
  expect?: string
  /** The most executions that are tried at once, 1 to 10,000. Default 1,024. */
  maxInFlight?: number
  /**
   * Executions that are simulated at each rate, 10,000 to 1,000,000; default 1,000,000. Fewer take
   * less time, and their error makes the interval wider.
   */
  simulated?: number
  /** Default `virtual` with a profile, else `node`. */
  engine?: 'node' | 'virtual' | 'k6'
  /** The network that virtual time simulates between client and crew. */
  network?: string
}
