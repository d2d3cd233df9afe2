/** What a study of limits is told: the options of `inferLimits()`. */
import type { TlsOptions } from '../../../host/node/index.ts'
import type { PlaceOptions } from '../../../run/target/chosen-place.ts'
import type { WayOptions } from '../../../run/target/ways.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'
import type { LimitedOperation, LimitsPlan } from '../document.ts'

type Place = Omit<PlaceOptions, keyof StudyOptions<LimitsPlan>>

export interface LimitsOptions extends Place, WayOptions, StudyOptions<LimitsPlan> {
  /** `virtual` needs a profile. Default: `virtual` with a profile, `node` with a target. */
  engine?: 'node' | 'virtual'
  /** Run folders to infer from in place of a target: nothing is sent. */
  from?: readonly string[]
  /**
   * In the order in which they are probed. Default: `status` and `inputs`, and `kickoff` where
   * `maxKickoffs` is given.
   */
  operations?: readonly LimitedOperation[]
  /** The execution that status asks about; without one it is kicked off. */
  kickoffId?: string
  /** Inputs of the kickoffs. Default: sample values for the crew's names. */
  inputs?: Readonly<Record<string, unknown>>
  /**
   * Hard, for all operations together and everything else that is sent. Default 600 for each
   * operation.
   */
  maxRequests?: number
  /**
   * When the study ends, with what it knows, milliseconds after it began to send. Default 30
   * minutes, and no bound in virtual time, where nobody waits.
   */
  maxDurationMs?: number
  /**
   * Hard. At a target no kickoff is sent without it. Default: 1 for the execution that status asks
   * about, at a fake crew that the study starts.
   */
  maxKickoffs?: number
  /** Executions in flight that the settings are written for. Default 10. */
  inFlight?: number
  /**
   * How long requests are sent at the safe rate, to meet a second and slower limit, milliseconds; 0
   * for not at all. Default 60,000.
   */
  sustainMs?: number
  /** Whether promises in headers are used. Default true. */
  readHeaders?: boolean
  /** Seed of what the inference draws, and of a simulated crew. Default 42. */
  seed?: number
  tls?: TlsOptions
  env?: Readonly<Record<string, string | undefined>>
}

/** Before an experiment: what it is to settle, and what it costs. */
export interface LimitsProgress {
  operation: LimitedOperation
  purpose: string
  requests: number
  waitMs: number
  /** What the whole study has spent so far. */
  spent: number
}
