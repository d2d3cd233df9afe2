/**
 * What a saturation is told: the options of `saturate()`, which the command line fills from its
 * flags.
 */
import type { SaturatedEndpoint, SaturationPlan } from '../document.ts'
import type { TlsOptions } from '../../../host/node/index.ts'
import type { PlaceOptions } from '../../../run/target/chosen-place.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'

type Place = Omit<PlaceOptions, keyof StudyOptions<SaturationPlan>>

/** Durations and the ladder are as a user writes them: `5s`, `1,2,4,8`. */
export interface SaturateOptions extends Place, StudyOptions<SaturationPlan> {
  endpoint: SaturatedEndpoint
  /** A number to double up to, or a rising list. Default `64`. */
  connections?: string
  /** Of the measured window of each rung, 1 s to 1 h. Default `5s`. */
  duration?: string
  /** Before each window, up to 10 min. Default `1s`, for kickoffs `0`: they cost money. */
  warmUp?: string
  /** For one request, 1 s to 10 min. Default `10s`. */
  timeout?: string
  /**
   * The one polling interval whose executions in flight are told. Default: 2, 5, 10, 15 and 30 s.
   */
  polling?: string
  /** The execution that status asks about; without one it is kicked off. */
  kickoffId?: string
  /** Of the kickoffs. Default: sample values for the crew's names. */
  inputs?: Readonly<Record<string, unknown>>
  /** Hard. Kickoffs are never sent without it, but for the one at a fake crew of `profile`. */
  maxKickoffs?: number
  /** Hard, everything that is sent included. A target that is not on this machine needs it. */
  maxRequests?: number
  tls?: TlsOptions
  env?: Readonly<Record<string, string | undefined>>
}
