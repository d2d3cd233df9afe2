/** `crewload gate`. */
import { Option } from 'commander'
import type { GateOptions } from '../../../study/gate/plan/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import type { PlanFlags, SingleEngineFlags, StudyFlags } from '../../flags/definitions.ts'
import { scenarioStudyOptions, singleEngineOptions } from '../../flags/definitions.ts'
import { wholeNumber } from '../../flags/values.ts'

type GateFlags = StudyFlags &
  PlanFlags &
  SingleEngineFlags &
  Pick<
    GateOptions,
    | 'baseline'
    | 'baselineTarget'
    | 'baselineProfile'
    | 'start'
    | 'baselineStart'
    | 'updateBaseline'
    | 'runs'
    | 'metrics'
    | 'margin'
    | 'history'
    | 'commit'
  > & { baselineTokenFile?: string; minChange?: string }

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
  declare(command) {
    command
      .argument('<scenario>', 'a file, or a shipped name')
      .option('--baseline <folder>', 'folder of the baseline’s runs; written if it has none')
      .option('--baseline-target <url>', 'base URL of the baseline, run alternately with --target')
      .option(
        '--baseline-profile <name|file>',
        'profile of the baseline, run alternately with --profile',
      )
      .option(
        '--baseline-token-file <file>',
        'tokens of the baseline (default: CREWLOAD_BASELINE_TOKEN, or the candidate’s)',
      )
      .option(
        '--start <command>',
        'command that starts the candidate at --target before each of its runs; ended after it',
      )
      .option(
        '--baseline-start <command>',
        'command that starts the baseline at --baseline-target (default: at --target)',
      )
      .option('--runs <n>', 'most runs per side (default: 8)', wholeNumber(3, 100))
      .option(
        '--metrics <names>',
        'judged metrics, separated by commas (default: execution.p50, ' +
          'execution.p95, kickoff.response.p95, outcome.unserved, execution.failed)',
      )
      .option('--min-change <share>', 'smallest regression that fails (default: "5%")')
      .option('--margin <share>', 'regression that PASS excludes (default: twice --min-change)')
      .addOption(
        new Option(
          '--update-baseline [when]',
          'write the candidate’s runs as the baseline, on PASS or always',
        )
          .choices(['pass', 'always'])
          .preset('pass'),
      )
      .option(
        '--history <file>',
        'file to which a line is added (default: history.ndjson in the baseline’s folder)',
      )
      .option('--commit <id>', 'commit of the candidate (default: GITHUB_SHA or CI_COMMIT_SHA)')
    scenarioStudyOptions(singleEngineOptions(command))
  },
  async act(io, scenario: string, flags: GateFlags) {
    const { holdGate } = await import('../../../study/gate/conduct/conduct.ts')
    const { designGate } = await import('../../../study/gate/plan/plan.ts')
    const { gate: study } = await import('../../../study/gate/study.ts')
    const { scenarioFlags, studyOptionsOf } = await import('../../flags/study-options.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { readTokens } = await import('../../flags/tokens.ts')
    const { engineOf } = await import('../../flags/engines.ts')
    const { baselineTokenFile: file, minChange: smallestChange, ...rest } = flags
    const { engine: _e, network: _n, k6Vus: _k, ...others } = rest
    const own = {
      scenario,
      commit: commitOf(io.env),
      ...scenarioFlags(others),
      smallestChange,
      engine: engineOf(flags, flags.profile === undefined ? 'node' : 'virtual'),
      baselineTokens: file === undefined ? undefined : await readTokens(file, io.env),
    }
    const options = await studyOptionsOf<GateOptions>(own, flags, io)
    return runStudy(
      {
        study,
        question: 'Start? Each kickoff may cost money, and a gate runs the scenario several times.',
        plan: async () => (await designGate(options)).plan,
        start: async (hooks) => holdGate({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}

/** The commit, from the variable in which GitHub Actions or GitLab names it. */
function commitOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env['GITHUB_SHA'] ?? env['CI_COMMIT_SHA']
}
