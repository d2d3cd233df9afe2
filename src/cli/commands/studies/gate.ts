/** `crewload gate`. */
import type { Given, OptionTable } from '../../../base/options/table.ts'
import { GATE } from '../../../study/comparing/gate/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import { commandWords } from '../../flags/command-words.ts'
import { OF_STUDIES, OUTPUT } from '../../flags/output.ts'

const OPTIONS = { study: GATE, output: OUTPUT, ...OF_STUDIES } satisfies OptionTable

const HELP = `It runs the candidate (--target or --profile) several times, and compares it with the
runs of the baseline: those in a folder, which the first gate writes, or a baseline that runs
alternately with it.

  crewload gate steady --target $NEW --baseline ci/baseline --max-kickoffs 2000
  crewload gate steady --target $NEW --baseline-target $OLD --max-kickoffs 4000
  crewload gate steady --target http://127.0.0.1:8000 \\
    --start 'exec ./new/serve' --baseline-start 'exec ./old/serve'

FAIL: a judged metric is worse by --min-change or more, and chance does not explain it. PASS: a
regression of --margin or more is excluded for every judged metric. It stops as soon as one of the two
is certain; each is wrong in at most 1 % of gates.
`

const CODES = {
  passed: 'PASS, or a baseline was written',
  failed: 'FAIL',
  inconclusive: 'more runs are needed, or the gate was cut',
  unreachable: 'target never reached, or lost during the study',
}

export const gate: MainCommand = {
  name: 'gate',
  group: 'Answer a question',
  description: 'decide in CI whether a candidate is slower or less reliable than its baseline',
  help: `${HELP}\n${exitHelp(CODES)}`,
  options: OPTIONS,
  async act(io, { study: asked, output }: Given<typeof OPTIONS>) {
    const { holdGate } = await import('../../../study/comparing/gate/conduct/conduct.ts')
    const { designGate } = await import('../../../study/comparing/gate/plan/plan.ts')
    const { gate: study } = await import('../../../study/comparing/gate/study.ts')
    const { reached } = await import('../../flags/reach.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { readTokens } = await import('../../flags/tokens.ts')
    const { baselineTokens: file, ...others } = asked
    const tokens = file === undefined ? {} : { baselineTokens: await readTokens(file, io.env) }
    const run = await reached(asked.run, io, { ...output, scenario: asked.scenario })
    const options = {
      ...commitOf(io.env),
      ...others,
      ...tokens,
      run,
      command: commandWords(io.args),
    }
    return runStudy(
      {
        study,
        question: 'Start? Each kickoff may cost money, and a gate runs the scenario several times.',
        plan: async () => (await designGate(options)).plan,
        start: async (hooks) => holdGate({ ...options, ...hooks }),
      },
      { ...output, target: run.target },
      io,
    )
  },
}

/** The commit, from the variable in which GitHub Actions or GitLab names it. */
function commitOf(env: Readonly<Record<string, string | undefined>>): { commit?: string } {
  const commit = env['GITHUB_SHA'] ?? env['CI_COMMIT_SHA']
  return commit === undefined ? {} : { commit }
}
