/** The options of a recovery test. */
import { text, wholeNumber, yes } from '../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../base/options/table.ts'
import { kept } from '../../base/options/table.ts'
import { OUT } from '../../run/options.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import { NETWORK, SCENARIO, STUDY_RUN, studyEngine } from '../frame/options.ts'
import type { RecoveryPlan } from './document.ts'

/** By default nothing is answered, as from a crew that hangs or a network that is down. */
export const DEFAULT_TRIGGER = 'hang: {}'

export const MOST_SEEDS = 1_000

/** Durations are text as a user writes them, in the scenario's time, which `speed` divides. */
export const RECOVERY = {
  scenario: {
    ...SCENARIO,
    help: 'a file, or a shipped name: recovery, retry-storm; it needs an open, constant rate',
  },
  trigger: kept(
    '--trigger <fault>',
    'a fault of the fake crew as a profile writes it, or "spike: 3"',
    text,
    { otherwise: `"${DEFAULT_TRIGGER}"` },
  ),
  /** Its size. */
  for: kept('--for <duration>', 'duration of the trigger: its size', text, { otherwise: '"30s"' }),
  /** Run by the shell, in place of the trigger. */
  triggerCommand: kept(
    '--trigger-command <command>',
    'with --engine node: command to run when the trigger begins; shown as typed',
    text,
  ),
  undoCommand: kept('--undo-command <command>', 'command to run when the trigger ends', text, {
    otherwise: 'the trigger command is stopped',
  }),
  before: kept('--before <duration>', 'steady load before the trigger, after the warm-up', text, {
    otherwise: '"2m"',
  }),
  observe: kept('--observe <duration>', 'steady load after the trigger', text, {
    otherwise: '"5m"',
  }),
  within: kept(
    '--within <duration>',
    'recovery later than this is slow; if given, slow recovery fails',
    text,
    { otherwise: '"2m"' },
  ),
  seeds: kept('--seeds <n>', 'trials, from --seed on', wholeNumber(1, MOST_SEEDS), {
    otherwise: '20; over sockets: 1',
  }),
  control: kept('--control', 'run each seed again without the trigger', yes, {
    no: { flag: '--no-control', help: 'skip those control runs' },
    otherwise: 'in virtual time',
  }),
  bisect: kept('--bisect', 'search for the tipping point by trigger size', yes, {
    no: { flag: '--no-bisect', help: 'try only the one size' },
    otherwise: 'in virtual time',
  }),
  out: OUT,
  run: { ...STUDY_RUN, engine: { kind: studyEngine('virtual', 'node'), network: NETWORK } },
} satisfies OptionTable

export interface RecoveryOptions
  extends Omit<OptionsOf<typeof RECOVERY>, 'run'>, StudyOptions<RecoveryPlan> {
  run: OptionsOf<typeof RECOVERY.run>
}
