/** `crewload recovery`: tests whether a crew recovers after a disturbance. */
import type { RecoveryOptions } from '../../../study/recovery/plan/options.ts'
import { DEFAULT_TRIGGER } from '../../../study/recovery/plan/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import type { PlanFlags, StudyFlags } from '../../flags/definitions.ts'
import { scenarioStudyOptions, studyEngineOptions } from '../../flags/definitions.ts'
import { wholeNumber } from '../../flags/values.ts'

type RecoveryFlags = StudyFlags &
  PlanFlags &
  Pick<
    RecoveryOptions,
    | 'trigger'
    | 'for'
    | 'triggerCommand'
    | 'undoCommand'
    | 'before'
    | 'observe'
    | 'within'
    | 'seeds'
    | 'control'
    | 'bisect'
    | 'engine'
    | 'network'
  >

const HELP = `Service is the share of arrivals that complete within their deadline, counted by
intended time. It is restored once it stays at 95 % or more of its level before the trigger. A
crew that remains below that, under a load that it handled before, is in a metastable failure.
`

const CODES = {
  passed: 'it recovers; even slowly, unless --within is given',
  failed: 'it does not recover, or later than --within',
  inconclusive: 'seeds disagree, or service was already degraded before the trigger',
}

export const recovery: MainCommand = {
  name: 'recovery',
  group: 'Answer a question',
  description:
    'test whether a crew recovers from a disturbance: steady load, a trigger, several seeds',
  help: `${HELP}\n${exitHelp(CODES)}`,
  declare(command) {
    command
      .argument(
        '<scenario>',
        'a file, or a shipped name: recovery, retry-storm; it needs an open, constant rate',
      )
      .option(
        '--trigger <fault>',
        'a fault of the fake crew as a profile writes it, or "spike: 3" (default: ' +
          `"${DEFAULT_TRIGGER}")`,
      )
      .option('--for <duration>', 'duration of the trigger: its size', '30s')
      .option(
        '--trigger-command <command>',
        'with --engine node: command to run when the trigger begins',
      )
      .option(
        '--undo-command <command>',
        'command to run when the trigger ends (default: the trigger command is stopped)',
      )
      .option('--before <duration>', 'steady load before the trigger, after the warm-up', '2m')
      .option('--observe <duration>', 'steady load after the trigger', '5m')
      .option(
        '--within <duration>',
        'recovery later than this is slow (default: "2m"); if given, slow recovery fails',
      )
      .option(
        '--seeds <n>',
        'trials, from --seed on (default: 20; over sockets: 1)',
        wholeNumber(1, 1_000),
      )
      .option('--control', 'run each seed again without the trigger (default: in virtual time)')
      .option('--no-control', 'skip those control runs')
      .option('--bisect', 'search for the tipping point by trigger size (default: in virtual time)')
      .option('--no-bisect', 'try only the one size')
    scenarioStudyOptions(studyEngineOptions(command))
  },
  async act(io, scenario: string, flags: RecoveryFlags) {
    const { testRecovery } = await import('../../../study/recovery/conduct/conduct.ts')
    const { designRecovery } = await import('../../../study/recovery/plan/plan.ts')
    const { recovery: study } = await import('../../../study/recovery/study.ts')
    const { scenarioFlags, studyOptionsOf } = await import('../../flags/study-options.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const own = { scenario, ...scenarioFlags(flags) }
    const options = await studyOptionsOf<RecoveryOptions>(own, flags, io)
    return runStudy(
      {
        study,
        question: 'Start? Each kickoff may cost money, and the trigger disturbs the target.',
        plan: async () => (await designRecovery(options)).facts,
        start: async (hooks) => testRecovery({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}
