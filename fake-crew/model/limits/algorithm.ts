/**
 * What a limiting algorithm is: what it keeps for a key, how it counts, and what is left as of a
 * time.
 */
import type { Micros } from '../../../src/base/units.ts'

/** What a key may still ask for, if nothing else comes. */
export interface Quota {
  /** Most requests that can be admitted at once. */
  limit: number
  /** Requests that would be admitted at once now; above 0 the next one is. */
  remaining: number
  /** Until `remaining` grows; null when it cannot, or when time alone does not make it. */
  moreMicros: Micros | null
  /** Until all of `limit` is there again; 0 when it is, null when time alone does not make it. */
  fullMicros: Micros | null
}

/**
 * Times are the crew's own, in microseconds since the model's zero, and never fall. A method reads
 * the state and the time that it is given, and changes nothing but that state.
 */
export interface Algorithm<State> {
  /** The time in which `limit` is given, microseconds; null when time has no part in it. */
  readonly windowMicros: Micros | null
  /** What a key that was never seen begins with. A state whose quota is full is as good as that. */
  fresh(): State
  quota(state: State, nowMicros: Micros): Quota
  count(state: State, nowMicros: Micros): void
  /**
   * How long a request that is admitted now is held back before it is served; without it, not at
   * all.
   */
  holdMicros?(state: State, nowMicros: Micros): Micros
  /** The answer to a counted request has left; without it, nothing comes of that. */
  release?(state: State): void
}
