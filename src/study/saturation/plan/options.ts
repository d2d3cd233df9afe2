/** The options of `saturate()`, which the command line fills from its flags. */
import type { SaturatedEndpoint, SaturationPlan } from '../document.ts'
import type { TlsOptions } from '../../../host/node/index.ts'
import type { PlaceOptions } from '../../../run/target/chosen-place.ts'
import type { WayOptions } from '../../../run/target/ways.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'

type Place = Omit<PlaceOptions, keyof StudyOptions<SaturationPlan>>

/** Durations and the ladder are text as a user writes them: `5s`, `1,2,4,8`. */
export interface SaturateOptions extends Place, WayOptions, StudyOptions<SaturationPlan> {
  endpoint: SaturatedEndpoint
  /** A number to reach by doubling, or an increasing list. Default `64`. */
  connections?: string
  /**
   * How often each rung is visited, 1 to 20: intervals are from what differs between visits.
   * Default 6; for kickoffs 1, as they cost money.
   */
  repeats?: number
  /** The duration of the measured window of each visit, 1 s to 1 h. Default `3s`. */
  duration?: string
  /**
   * The warm-up before each window, up to 10 min. Default `500ms`; for kickoffs `0`, as they
   * cost money.
   */
  warmUp?: string
  /** The time-out of one request, 1 s to 10 min. Default `10s`. */
  timeout?: string
  /**
   * The polling interval for which the executions in flight are computed. Default: 2, 5, 10, 15 and
   * 30 s.
   */
  polling?: string
  /** The execution whose status is polled; without one, a kickoff starts it. */
  kickoffId?: string
  /** The inputs of the kickoffs. Default: sample values for the crew's names. */
  inputs?: Readonly<Record<string, unknown>>
  /**
   * A hard limit. Kickoffs are never sent without it, except the one at a fake crew of `profile`.
   */
  maxKickoffs?: number
  /** A hard limit on everything that is sent. A target that is not on this machine needs it. */
  maxRequests?: number
  tls?: TlsOptions
  env?: Readonly<Record<string, string | undefined>>
}
