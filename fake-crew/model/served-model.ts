/**
 * The interface of the model behind a server's sockets: a whole crew, or limits and faults in front
 * of a target.
 */
import type { Micros } from '../../src/base/units.ts'
import type { FakeRequest } from './exchange.ts'
import type { Fault } from './faults/fault.ts'
import type { FaultSet } from './faults/faults.ts'
import type { Profile } from './profile.ts'
import type { RefusalCounts } from './records/refusals.ts'

/**
 * Times are microseconds on the host's clock since the model's time zero, and must not decrease
 * from one request to the next.
 */
export interface ServedModel {
  readonly profile: Profile
  /** The profile's faults at first; they can be added and cleared at any time. */
  readonly faults: FaultSet
  readonly refusals: RefusalCounts
  /** Throws UserError for faults that cannot be added here. */
  check(faults: readonly Fault[]): void
  /** The reply to this request (the same object) has been sent, or its client has disconnected. */
  finished(request: FakeRequest, nowMicros: Micros): void
  /** Metrics in the Prometheus text format. */
  metrics(nowMicros: Micros): string
}
