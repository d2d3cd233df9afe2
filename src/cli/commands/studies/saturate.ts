/** `crewload saturate`: measures the ceiling of one endpoint. */
import type { Given, OptionTable } from '../../../base/options/table.ts'
import { SATURATION } from '../../../study/saturation/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import { commandWords } from '../../flags/command-words.ts'
import { OF_STUDIES, OUTPUT } from '../../flags/output.ts'

const OPTIONS = { study: SATURATION, output: OUTPUT, ...OF_STUDIES } satisfies OptionTable

const HELP = `Each connection sends its next request as soon as the last one is answered. The knee
is the smallest number of connections that reaches 95 % of the highest throughput, beyond which
more connections add nothing. Each rung is visited several times, in shuffled order after the first
pass, so that the intervals also cover what changes between visits; the knee is a range. With a fake crew, the execution is polled to its end before the
ladder of status begins.
`

const CODES = {
  passed: 'measured',
  failed: null,
  inconclusive:
    'the true ceiling is higher, is not known precisely enough, or was measured on two kinds of answers',
}

export const saturate: MainCommand = {
  name: 'saturate',
  group: 'Answer a question',
  description: 'find the maximum throughput of one endpoint, by a ladder of connections',
  help: `${HELP}\n${exitHelp(CODES)}`,
  options: OPTIONS,
  async act(io, { study: asked, output }: Given<typeof OPTIONS>) {
    const { saturate: climb } = await import('../../../study/saturation/conduct/conduct.ts')
    const { designSaturation } = await import('../../../study/saturation/plan/plan.ts')
    const { saturation } = await import('../../../study/saturation/study.ts')
    const { reached } = await import('../../flags/reach.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const run = await reached(asked.run, io, output)
    const options = { ...asked, run, command: commandWords(io.args) }
    return runStudy(
      {
        study: saturation,
        question: 'Start? Requests are sent as fast as they are answered.',
        plan: () => designSaturation(options).plan,
        start: async (hooks) => climb({ ...options, ...hooks }),
      },
      { ...output, target: run.target },
      io,
    )
  },
}
