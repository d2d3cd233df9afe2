/**
 * What a recovery test is told: the options of `testRecovery()`, which the command line fills from
 * its flags.
 */
import type { RunOptions } from '../../../run/options.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'
import type { RecoveryPlan } from '../document.ts'

/** Nothing is answered: to the client a crew that hangs, or a network that is gone. */
export const DEFAULT_TRIGGER = 'hang: {}'

type Shared = Omit<RunOptions, keyof StudyOptions<RecoveryPlan> | 'engine' | 'faults'>

/** Durations are as a user writes them, in the scenario's time, which `speed` divides. */
export interface RecoveryOptions extends Shared, StudyOptions<RecoveryPlan> {
  /** A shipped name, or a file. */
  scenario: string
  /** `virtual` needs a profile. Default: `virtual` with a profile, `node` with a target. */
  engine?: 'node' | 'virtual'
  /** What the engine `virtual` simulates between client and crew. */
  network?: string
  /**
   * A fault of the fake crew in YAML, without its times, or `spike: 3` for so many times the
   * arrivals. Default `DEFAULT_TRIGGER`.
   */
  trigger?: string
  /** Instead: run by `/bin/sh` when the trigger begins. With the engine `node` alone. */
  triggerCommand?: string
  /** Run when it ends. Default: the command of the beginning is ended then, if it still runs. */
  undoCommand?: string
  /** How long the trigger lasts: its size. Default `30s`. */
  for?: string
  /** Steady load before it, after the warm-up. Default `2m`. */
  before?: string
  /** Steady load after it. Default `5m`. */
  observe?: string
  /** Later is slow. Default `2m`; said here, slow is a failure. */
  within?: string
  /** How many, 1 to 1,000, from `seed` on. Default 20 in virtual time, 1 over sockets. */
  seeds?: number
  /** Runs each seed once more without the trigger. Default: in virtual time. */
  control?: boolean
  /** Looks for the size that tips it over. Default: in virtual time. */
  bisect?: boolean
}
