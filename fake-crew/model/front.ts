/**
 * What a server needs of whatever stands behind its sockets: a whole crew, or a gate before a
 * target.
 */
import type { Micros } from '../../src/base/units.ts'
import type { FakeRequest } from './exchange.ts'
import type { Fault } from './faults/fault.ts'
import type { Faults } from './faults/faults.ts'
import type { Profile } from './profile.ts'
import type { Refusals } from './refusals.ts'

/**
 * Times are microseconds on the host's clock since the model's zero, and must not fall from one
 * request to the next.
 */
export interface Front {
  readonly profile: Profile
  /** Those of the profile at first; they can be added and cleared at any time. */
  readonly faults: Faults
  readonly refusals: Refusals
  /** Throws UserError: faults that cannot be added here. */
  check(faults: readonly Fault[]): void
  /** The reply to this request (the very object) is out, or its client has gone. */
  finished(request: FakeRequest, nowMicros: Micros): void
  /** Prometheus text. */
  metrics(nowMicros: Micros): string
}
