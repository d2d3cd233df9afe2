/** `crewload compare`. */
import { UserError } from '../../../base/mistakes.ts'
import type { ComparisonOptions } from '../../../study/comparison/plan.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import type { ReadingFlags } from '../../flags/definitions.ts'
import { readingOptions } from '../../flags/definitions.ts'

interface CompareFlags
  extends ReadingFlags, Pick<ComparisonOptions, 'metrics' | 'equivalent' | 'out'> {
  minChange?: string
}

const HELP = `Runs of one side differ by chance, and this spread decides which change is proven. So
compare at least 3 runs per side. If runs differ by 3 %, a change of 10 % is found in about three of
five comparisons with 5 runs per side, and nearly always with 8. A regression is a change for the
worse, proven over all judged metrics together (Holm, level 1 %), of at least --min-change.

  crewload compare reports/base-* -- reports/new-*
  crewload compare base/result.json new/result.json
`

const CODES = {
  passed: 'no regression is proven',
  failed: 'a regression',
  invalid: 'the reports could not be written',
  inconclusive:
    'undecided: a single run on a side, runs that cannot be compared or are too short for a judged ' +
    'metric, or --equivalent without proof',
  unreachable: null,
}

export const compare: MainCommand = {
  name: 'compare',
  group: 'Answer a question',
  description: 'find out whether a crew became slower or less reliable between two sets of runs',
  help: `${HELP}\n${exitHelp(CODES)}`,
  declare(command) {
    command
      .argument('<runs...>', 'earlier run folders, "--", current run folders')
      .option(
        '--metrics <names>',
        'judged metrics, separated by commas (default: execution.p50, ' +
          'execution.p95, kickoff.response.p95, outcome.unserved, execution.failed)',
      )
      .option('--min-change <share>', 'smallest change that counts (default: "5%")')
      .option(
        '--equivalent <share>',
        'test whether both sides are the same within a margin, like "5%"',
      )
      .option('--out <folder>', 'folder in which the comparison is written', 'reports')
    readingOptions(command, 'print what would be compared')
  },
  async act(io, runs: string[], flags: CompareFlags) {
    const { compareRuns } = await import('../../../study/comparison/conduct/conduct.ts')
    const { designComparison } = await import('../../../study/comparison/plan.ts')
    const { comparison } = await import('../../../study/comparison/study.ts')
    const { readingOptionsOf } = await import('../../flags/study-options.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { metrics, minChange: smallestChange, equivalent, out } = flags
    const own = { ...sidesOf(runs, io.args), metrics, smallestChange, equivalent, out }
    const options = readingOptionsOf<ComparisonOptions>(own, io)
    return runStudy(
      {
        study: comparison,
        plan: async () => (await designComparison(options)).plan,
        start: async (hooks) => compareRuns({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}

/** Two runs need no `--` between them. */
function sidesOf(
  runs: readonly string[],
  args: readonly string[],
): Pick<ComparisonOptions, 'base' | 'new'> {
  const at = args.indexOf('--')
  if (at === -1 && runs.length === 2) return { base: runs.slice(0, 1), new: runs.slice(1) }
  const behind = at === -1 ? 0 : args.length - at - 1
  demandRunsOnly(args.slice(args.length - behind))
  return { base: runs.slice(0, runs.length - behind), new: runs.slice(runs.length - behind) }
}

function demandRunsOnly(names: readonly string[]): void {
  const flags = names.filter((name) => name.startsWith('-'))
  if (flags.length === 0) return
  const problem = 'only runs follow "--": put options before the runs'
  throw new UserError(flags.map((source) => ({ source, path: '', problem })))
}
