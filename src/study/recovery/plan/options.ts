/** The options of `testRecovery()`, which the command line fills from its flags. */
import type { RunOptions } from '../../../run/options.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'
import type { RecoveryPlan } from '../document.ts'

/** By default nothing is answered, as from a crew that hangs or a network that is down. */
export const DEFAULT_TRIGGER = 'hang: {}'

type Shared = Omit<RunOptions, keyof StudyOptions<RecoveryPlan> | 'engine' | 'faults'>

/** Durations are text as a user writes them, in the scenario's time, which `speed` divides. */
export interface RecoveryOptions extends Shared, StudyOptions<RecoveryPlan> {
  /** The name of a shipped scenario, or a file. */
  scenario: string
  /**
   * The engine of every run; `virtual` needs a profile. Default: `virtual` with a profile, `node`
   * with a target.
   */
  engine?: 'node' | 'virtual'
  /** The network that the engine `virtual` simulates between client and crew. */
  network?: string
  /**
   * A fault of the fake crew in YAML, without its times, or `spike: 3` to multiply the arrivals by
   * three. Default `DEFAULT_TRIGGER`.
   */
  trigger?: string
  /**
   * A command that replaces the trigger: run by `/bin/sh` when the trigger begins. Only with the
   * engine `node`.
   */
  triggerCommand?: string
  /**
   * The command to run when the trigger ends. Default: the first command is ended then, if it still
   * runs.
   */
  undoCommand?: string
  /** The duration of the trigger, which is its size. Default `30s`. */
  for?: string
  /** The duration of the steady load before it, after the warm-up. Default `2m`. */
  before?: string
  /** The duration of the steady load after it. Default `5m`. */
  observe?: string
  /** A later recovery counts as slow. Default `2m`; when given, a slow recovery is a failure. */
  within?: string
  /**
   * The number of seeds, 1 to 1,000, from `seed` on. Default 20 in virtual time, 1 over sockets.
   */
  seeds?: number
  /** Whether to run each seed once more without the trigger. Default: in virtual time. */
  control?: boolean
  /**
   * Whether to search for the size beyond which the crew does not recover. Default: in virtual
   * time.
   */
  bisect?: boolean
}
