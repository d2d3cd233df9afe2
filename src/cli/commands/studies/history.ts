/** `crewload history`. */
import type { HistoryOptions } from '../../../study/history/plan.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import type { ReadingFlags } from '../../flags/definitions.ts'
import { readingOptions } from '../../flags/definitions.ts'

interface HistoryFlags extends ReadingFlags, Pick<HistoryOptions, 'out'> {
  minChange?: string
}

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
  declare(command) {
    command
      .argument('<folder>', 'folder of a baseline, or its history.ndjson')
      .option('--min-change <share>', 'smallest change that counts (default: "5%")')
      .option('--out <folder>', 'folder in which the study is written', 'reports')
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
        plan: async () => (await designHistory(options)).plan,
        start: async (hooks) => readTrends({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}
