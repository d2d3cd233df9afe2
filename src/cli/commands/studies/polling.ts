/** `crewload polling`: compares polling strategies. */
import type { Mistake } from '../../../base/mistakes.ts'
import { together, UserError } from '../../../base/mistakes.ts'
import type { Design } from '../../../study/polling/plan/plan.ts'
import type { PollingOptions } from '../../../study/polling/plan/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import type { PlanFlags, StudyFlags } from '../../flags/definitions.ts'
import { scenarioStudyOptions } from '../../flags/definitions.ts'

type PollingFlags = StudyFlags &
  PlanFlags &
  Pick<PollingOptions, 'scenario' | 'network' | 'maxPolls' | 'limits' | 'delay'> & {
    executions?: string
    pollPrice?: string
    delayPrice?: string
  }

const HELP = `It learns how long executions take: from run folders, whose polls (or the ledger of
a fake crew) show when each ended; with --profile from a run in virtual time; with --target from a
run within --max-kickoffs. Each execution is then replayed under every strategy, with the
intervals that the engine uses and the measured request times.

Say what you know: a quota of the target (--max-polls 3000/m, or
--limits FOLDER with what crewload limits found), a promise to users
(--delay 'p95 < 5s'), or prices (--poll-price 1 --delay-price 2, for a poll and for a second of
detection delay). Without any of these, one poll is worth one second.
`

const CODES = {
  passed: 'answered',
  failed: 'no strategy satisfies the request',
  inconclusive: 'too few executions; says how many more are needed',
  unreachable: 'target never reached, or lost during the study',
}

export const polling: MainCommand = {
  name: 'polling',
  group: 'Answer a question',
  description:
    'find out how often clients should poll, by replaying strategies over recorded executions',
  help: `${HELP}\n${exitHelp(CODES)}`,
  // Numbers are checked together with everything else, so that all mistakes are reported at once.
  declare(command) {
    command
      .argument('[runs...]', 'run folders to learn from; without any, --profile or --target')
      .option('--max-polls <rate>', 'quota of the target, like "3000/m"')
      .option(
        '--limits <folder>',
        'folder of a study of limits, whose safe rate of status is the quota',
      )
      .option(
        '--delay <bound>',
        'promise about the detection delay (mean, p50 or p95), like "p95 < 5s"',
      )
      .option('--poll-price <amount>', 'price of one poll, with --delay-price')
      .option('--delay-price <amount>', 'price of a second of detection delay')
      .option('--scenario <name|file>', 'scenario of the run to learn from (default: "steady")')
      .option('--executions <n>', 'with --profile: approximate number to simulate (default: 2000)')
      .option('--network <name|folder>', 'with --profile: network that virtual time simulates')
    scenarioStudyOptions(command)
  },
  async act(io, runs: string[], flags: PollingFlags) {
    const { studyPolling } = await import('../../../study/polling/conduct/conduct.ts')
    const { designPolling } = await import('../../../study/polling/plan/plan.ts')
    const { polling: study } = await import('../../../study/polling/study.ts')
    const { readingOptionsOf, scenarioFlags, studyOptionsOf } =
      await import('../../flags/study-options.ts')
    const { demandSound } = await import('../../../study/frame/conduct/sound.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { asWritten, numberIn } = await import('../../flags/as-written.ts')
    const { target, profile, executions, pollPrice, delayPrice } = flags
    const own = {
      runs,
      ...scenarioFlags(flags),
      executions: numberIn(executions),
      pollPrice: numberIn(pollPrice),
      delayPrice: numberIn(delayPrice),
    }
    const written = {
      '--executions': executions,
      '--poll-price': pollPrice,
      '--delay-price': delayPrice,
    }
    const isMade = runs.length === 0 && (target !== undefined || profile !== undefined)
    const options = isMade
      ? await studyOptionsOf<PollingOptions>(own, flags, io)
      : readingOptionsOf<PollingOptions>({ ...own, target, profile }, io)
    const design = async (): Promise<Design> => asWritten(designPolling(options), written)
    const unused = runs.length === 0 ? [] : await ofAConnection(flags)
    if (unused.length > 0) await together(design(), Promise.reject(new UserError(unused)))
    return runStudy(
      {
        study,
        plan: async () => (await design()).facts,
        readRuns: async (plan) => demandSound(plan.runs),
        start: async (hooks) => asWritten(studyPolling({ ...options, ...hooks }), written),
      },
      flags,
      io,
    )
  },
}

/** Mistakes where runs are read: no crew is reached then. */
async function ofAConnection({
  tokenFile,
  header,
  ca,
  insecure,
}: PollingFlags): Promise<Mistake[]> {
  const { mistakeOfARun } = await import('../../../study/polling/plan/of-a-run.ts')
  return [
    ...(tokenFile === undefined ? [] : [mistakeOfARun('--token-file', tokenFile)]),
    ...Object.keys(header).map((name) => mistakeOfARun('--header', undefined, name)),
    ...(ca === undefined ? [] : [mistakeOfARun('--ca', ca)]),
    ...(insecure === true ? [mistakeOfARun('--insecure')] : []),
  ]
}
