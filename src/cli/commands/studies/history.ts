/** `crewload history`. */
import type { Given, OptionTable } from '../../../base/options/table.ts'
import { HISTORY } from '../../../study/comparing/history/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import { commandWords } from '../../flags/command-words.ts'
import { readingOutput } from '../../flags/output.ts'

const OPTIONS = {
  study: HISTORY,
  output: readingOutput('print what would be read'),
} satisfies OptionTable

const HELP = `It reads history.ndjson, to which each gate with a baseline adds a line, and names the
changes and the commits between which they happened. It also finds drifts that are too slow for any
single gate.

  crewload history ci/baseline
`

const CODES = {
  passed: 'answered, whatever changed',
  failed: null,
  invalid: 'the reports could not be written',
  inconclusive: 'fewer than 6 gates',
  unreachable: null,
}

export const history: MainCommand = {
  name: 'history',
  group: 'Answer a question',
  description: 'find when the judged metrics changed over many gates',
  help: `${HELP}\n${exitHelp(CODES)}`,
  options: OPTIONS,
  async act(io, { study: asked, output }: Given<typeof OPTIONS>) {
    const { readTrends } = await import('../../../study/comparing/history/conduct.ts')
    const { designHistory } = await import('../../../study/comparing/history/plan.ts')
    const { history: study } = await import('../../../study/comparing/history/study.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const options = { ...asked, command: commandWords(io.args) }
    return runStudy(
      {
        study,
        plan: async () => (await designHistory(options)).plan,
        start: async (hooks) => readTrends({ ...options, ...hooks }),
      },
      output,
      io,
    )
  },
}
