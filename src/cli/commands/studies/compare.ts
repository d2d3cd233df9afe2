/** `crewload compare`. */
import { UserError } from '../../../base/mistakes.ts'
import type { ComparisonOptions } from '../../../study/comparison/plan.ts'
import type { MainCommand } from '../../command.ts'
import { EXIT_HELP } from '../../exit-codes.ts'
import type { ReadingFlags } from '../../flags/definitions.ts'
import { readingOptions } from '../../flags/definitions.ts'

interface CompareFlags
  extends ReadingFlags, Pick<ComparisonOptions, 'metrics' | 'equivalent' | 'out'> {
  minChange?: string
}

const HELP = `The run is the unit: the spread within each side shows what chance does, so
compare 3 runs a side or more (5 a side find a change of 10 % in about three comparisons of five
where runs differ by 3 %, 8 a side nearly always). A change is proven at 1 % over all judged
metrics together (Holm), and counts from --min-change on.

  crewload compare reports/base-* -- reports/new-*
  crewload compare base/result.json new/result.json

Exit code 0: nothing is proven to be worse; 1: a regression; 4: one run a side, runs that cannot
be compared or are too short for a judged metric, or --equivalent that is not shown.
`

export const compare: MainCommand = {
  name: 'compare',
  group: 'Answer a question',
  description: 'did it get slower or less reliable: earlier runs against current runs',
  help: `${HELP}\n${EXIT_HELP}`,
  declare(command) {
    command
      .argument('<runs...>', 'run folders of before, "--", run folders of now')
      .option(
        '--metrics <names>',
        'the judged metrics, with commas between (default: execution.p50, ' +
          'execution.p95, kickoff.response.p95, outcome.unserved, execution.failed)',
      )
      .option('--min-change <share>', 'the smallest change that counts (default: "5%")')
      .option('--equivalent <share>', 'ask whether they are the same within a margin, like "5%"')
      .option('--out <folder>', 'where the comparison is written', 'reports')
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
        whenInterrupted: '',
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
