/** What metrics are measured from. */
import type { Observations } from '../observations.ts'

/**
 * The part of the observations that metrics are taken from: a recorder can give it while the run
 * goes on.
 */
export type Measurable = Pick<
  Observations,
  'window' | 'series' | 'requests' | 'lateness' | 'contract' | 'inFlight' | 'ledgerWrong' | 'probes'
>
