/** What a search for capacity is told: the options of `findCapacity()`, which the CLI fills. */
import type { RunOptions } from '../../../run/options.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'
import type { CapacityPlan } from '../document.ts'

type Shared = Omit<RunOptions, keyof StudyOptions<CapacityPlan> | 'engine' | 'faults'>

export interface CapacityOptions extends Shared, StudyOptions<CapacityPlan> {
  /** A shipped name or a file: its inputs, polling, retries and deadline count, not its load. */
  scenario: string
  /** The promises: `execution.p95 < 120s, outcome.unserved < 2%`. */
  slo: string
  /**
   * Folders of past runs of the same crew, which count as evidence. Without a target and a profile
   * they answer alone, and nothing is sent. Default: none.
   */
  from?: readonly string[]
  /** Half-width of the interval that is wanted, 0.5 % to 50 % of the capacity. Default `5%`. */
  within?: string
  /** What is needed, as a rate: `300/h`. Less is a failure. */
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
  /** What virtual time simulates between client and crew. */
  network?: string
}
