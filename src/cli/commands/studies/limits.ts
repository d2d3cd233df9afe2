/** `crewload limits`: infers the rate limits of a target. */
import type { Given, OptionTable } from '../../../base/options/table.ts'
import { LIMITS } from '../../../study/limits/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import { commandWords } from '../../flags/command-words.ts'
import { OF_STUDIES, OUTPUT } from '../../flags/output.ts'

const OPTIONS = { study: LIMITS, output: OUTPUT, ...OF_STUDIES } satisfies OptionTable

const HELP = `It sends experiments, each chosen for what it will reveal: a ramp to the first
refusals, bursts, pauses. Other clients with the same token may be refused meanwhile. It reports
the limit of each operation and how certain it is, a safe rate, and polling settings for a scenario,
TypeScript and Python.

  crewload limits --profile rate-limited
  crewload limits --target https://crew.example --kickoffs 1
  crewload limits --from reports/steady-20261122T120000Z
`

const CODES = {
  passed: 'answered',
  failed: null,
  inconclusive: 'the evidence is not sufficient, or the study was cut',
  unreachable: 'target never reached, or lost during the study',
}

export const limits: MainCommand = {
  name: 'limits',
  group: 'Answer a question',
  description: 'find the rate limits of a target, and how fast a client may poll',
  help: `${HELP}\n${exitHelp(CODES)}`,
  options: OPTIONS,
  async act(io, { study: asked, output }: Given<typeof OPTIONS>) {
    const { inferLimits } = await import('../../../study/limits/conduct/conduct.ts')
    const { planLimits } = await import('../../../study/limits/plan/plan.ts')
    const { limits: study } = await import('../../../study/limits/study.ts')
    const { reached, unreached } = await import('../../flags/reach.ts')
    const { demandSound } = await import('../../../study/frame/conduct/sound.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const isRecorded = asked.from !== undefined
    const run = isRecorded ? unreached(asked.run) : await reached(asked.run, io, output)
    const options = { ...asked, run, command: commandWords(io.args) }
    return runStudy(
      {
        study,
        question: 'Start? Refusals will be provoked.',
        unasked: true,
        plan: () => planLimits(options),
        readRuns: async (plan) => demandSound(plan.from),
        start: async (hooks) => inferLimits({ ...options, ...hooks }),
      },
      { ...output, target: run.target },
      io,
    )
  },
}
