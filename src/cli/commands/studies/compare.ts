/** `crewload compare`. */
import { UserError } from '../../../base/mistakes.ts'
import { texts } from '../../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../../base/options/table.ts'
import { option } from '../../../base/options/table.ts'
import type { ComparisonOptions } from '../../../study/comparing/comparison/options.ts'
import { COMPARISON } from '../../../study/comparing/comparison/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import { commandWords } from '../../flags/command-words.ts'
import { readingOutput } from '../../flags/output.ts'

const OPTIONS = {
  runs: option('<runs...>', 'earlier run folders, "--", current run folders', texts, {
    required: true,
  }),
  study: COMPARISON,
  output: readingOutput('print what would be compared'),
} satisfies OptionTable

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
  options: OPTIONS,
  async act(io, { runs, study: asked, output }: Given<typeof OPTIONS>) {
    const { compareRuns } = await import('../../../study/comparing/comparison/conduct/conduct.ts')
    const { designComparison } = await import('../../../study/comparing/comparison/plan.ts')
    const { comparison } = await import('../../../study/comparing/comparison/study.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const options = { ...asked, ...sidesOf(runs, io.args), command: commandWords(io.args) }
    return runStudy(
      {
        study: comparison,
        plan: async () => (await designComparison(options)).plan,
        start: async (hooks) => compareRuns({ ...options, ...hooks }),
      },
      output,
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
