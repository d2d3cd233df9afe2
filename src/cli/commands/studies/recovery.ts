/** `crewload recovery`: tests whether a crew recovers after a disturbance. */
import type { Given, OptionTable } from '../../../base/options/table.ts'
import { RECOVERY } from '../../../study/recovery/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import { commandWords } from '../../flags/command-words.ts'
import { OF_STUDIES, OUTPUT } from '../../flags/output.ts'

const OPTIONS = { study: RECOVERY, output: OUTPUT, ...OF_STUDIES } satisfies OptionTable

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
  options: OPTIONS,
  async act(io, { study: asked, output }: Given<typeof OPTIONS>) {
    const { testRecovery } = await import('../../../study/recovery/conduct/conduct.ts')
    const { designRecovery } = await import('../../../study/recovery/plan/plan.ts')
    const { recovery: study } = await import('../../../study/recovery/study.ts')
    const { reached } = await import('../../flags/reach.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { scenario } = asked
    const run = await reached(asked.run, io, { ...output, scenario })
    const options = { ...asked, run, command: commandWords(io.args) }
    return runStudy(
      {
        study,
        question: 'Start? Each kickoff may cost money, and the trigger disturbs the target.',
        plan: async () => (await designRecovery(options)).facts,
        start: async (hooks) => testRecovery({ ...options, ...hooks }),
      },
      { ...output, target: run.target },
      io,
    )
  },
}
