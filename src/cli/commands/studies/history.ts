/** `crewload history`. */
import type { HistoryOptions } from '../../../study/history/plan.ts'
import type { MainCommand } from '../../command.ts'
import { EXIT_HELP } from '../../exit-codes.ts'
import type { ReadingFlags } from '../../flags/definitions.ts'
import { readingOptions } from '../../flags/definitions.ts'

interface HistoryFlags extends ReadingFlags, Pick<HistoryOptions, 'out'> {
  minChange?: string
}

const HELP = `Reads history.ndjson, to which each gate with a baseline adds a line, and names
changes with the commits between which they happened: drifts that are too slow for any single gate
too.

  crewload history ci/baseline

Exit code 0, whatever changed; 4: fewer than 6 gates.
`

export const history: MainCommand = {
  name: 'history',
  group: 'Answer a question',
  description: 'find when the judged metrics changed, over many gates',
  help: `${HELP}\n${EXIT_HELP}`,
  declare(command) {
    command
      .argument('<folder>', 'folder of a baseline, or its history.ndjson')
      .option('--min-change <share>', 'the smallest change that counts (default: "5%")')
      .option('--out <folder>', 'where the report is written', 'reports')
    readingOptions(command, 'print what would be read')
  },
  async act(io, path: string, flags: HistoryFlags) {
    const { readTrends } = await import('../../../study/history/conduct.ts')
    const { designHistory } = await import('../../../study/history/plan.ts')
    const { history: study } = await import('../../../study/history/study.ts')
    const { readingOptionsOf } = await import('../../flags/study-options.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { minChange: smallestChange, out } = flags
    const options = readingOptionsOf<HistoryOptions>({ path, smallestChange, out }, io)
    return runStudy(
      {
        study,
        whenInterrupted: '',
        plan: async () => (await designHistory(options)).plan,
        start: async (hooks) => readTrends({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}
