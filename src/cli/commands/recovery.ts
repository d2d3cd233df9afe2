/** `crewload recovery`. */
import { testRecovery } from '../../study/recovery/conduct/conduct.ts'
import type { RecoveryOptions } from '../../study/recovery/plan/options.ts'
import { designRecovery } from '../../study/recovery/plan/plan.ts'
import { sizeLine, trialLine } from '../../study/recovery/report/words.ts'
import { recovery } from '../../study/recovery/study.ts'
import { DRAINS } from '../io/interruption.ts'
import type { Io } from '../io/io.ts'
import { listLeftBehind } from '../shown/left-behind.ts'
import type { PlanFlags } from '../flags/options.ts'
import type { ReachFlags } from '../flags/reach-options.ts'
import { defined, reachOptionsOf } from '../flags/reach-options.ts'
import { commandWords, planOptionsOf } from '../flags/to-run-options.ts'
import { runStudy } from '../shown/study.ts'

export interface RecoveryFlags extends ReachFlags, PlanFlags {
  trigger?: string
  for: string
  triggerCommand?: string
  undoCommand?: string
  before: string
  observe: string
  within?: string
  seeds?: number
  control?: boolean
  bisect?: boolean
  engine?: 'virtual' | 'node'
  network?: string
  out: string
  yes?: boolean
  json?: boolean
  quiet?: boolean
}

export async function recoveryCommand(
  scenario: string,
  flags: RecoveryFlags,
  io: Io,
): Promise<number> {
  const options = await optionsOf(flags, io)
  return runStudy(
    {
      study: recovery,
      question: 'Start? Each kickoff may cost money, and the trigger disturbs the target.',
      whenInterrupted: DRAINS,
      plan: async () => (await designRecovery(scenario, options)).facts,
      start: async ({ tell, ...hooks }) =>
        testRecovery(scenario, {
          ...options,
          ...hooks,
          onTrial: (trial) => tell(trialLine(trial)),
          onSize: (sizeMs, trials) => tell(sizeLine(sizeMs, trials)),
        }),
    },
    flags,
    io,
    ({ leftBehind }) => listLeftBehind(leftBehind, io),
  )
}

async function optionsOf(flags: RecoveryFlags, io: Io): Promise<RecoveryOptions> {
  const given = defined<RecoveryOptions>({
    trigger: flags.trigger,
    triggerCommand: flags.triggerCommand,
    undoCommand: flags.undoCommand,
    for: flags.for,
    before: flags.before,
    observe: flags.observe,
    within: flags.within,
    seeds: flags.seeds,
    control: flags.control,
    bisect: flags.bisect,
    engine: flags.engine,
    network: flags.network,
    out: flags.out,
    command: commandWords(io.args),
  })
  return { ...planOptionsOf(flags), ...(await reachOptionsOf(flags, io)), ...given }
}
