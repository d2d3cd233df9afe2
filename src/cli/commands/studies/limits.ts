/** `crewload limits`: infers the rate limits of a target. */
import { UserError } from '../../../base/mistakes.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { LimitedOperation } from '../../../study/limits/document.ts'
import type { LimitsOptions } from '../../../study/limits/plan/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import type { StudyFlags } from '../../flags/definitions.ts'
import { studyEngineOption, studyOptions } from '../../flags/definitions.ts'
import type { KickoffFlags } from '../../flags/inputs.ts'
import { kickoffOptions } from '../../flags/inputs.ts'
import { duration, durationOrNone, wholeNumber } from '../../flags/values.ts'

type LimitsFlags = StudyFlags &
  KickoffFlags &
  Pick<LimitsOptions, 'from' | 'engine' | 'kickoffId' | 'inFlight' | 'maxRequests' | 'seed'> & {
    operations?: string
    kickoffs?: number
    sustain?: Micros
    maxDuration?: Micros
    ignoreHeaders?: boolean
  }

const OPERATIONS: readonly LimitedOperation[] = ['status', 'inputs', 'kickoff']

const HELP = `It sends experiments, each chosen for what it will reveal: a ramp to the first
refusals, bursts, pauses. Other clients with the same token may be refused meanwhile. It reports
the limit of each operation and how certain it is, a safe rate, and polling settings for a scenario,
TypeScript and Python.

  crewload limits --profile rate-limited
  crewload limits --target https://crew.example --kickoffs 1
  crewload limits --from reports/steady-20261122T120000Z
`

const CODES = {
  passed: 'answered',
  failed: null,
  inconclusive: 'the evidence is not sufficient, or the study was cut',
  unreachable: 'target never reached, or lost during the study',
}

export const limits: MainCommand = {
  name: 'limits',
  group: 'Answer a question',
  description: 'find the rate limits of a target, and how fast a client may poll',
  help: `${HELP}\n${exitHelp(CODES)}`,
  declare(command) {
    command
      .option(
        '--from <runs...>',
        'infer the limits from the answers in these run folders; sends nothing',
      )
      .option(
        '--operations <list>',
        'operations to probe: status, inputs, kickoff (default: "status,inputs")',
      )
      .option('--kickoff-id <id>', 'execution to poll (default: one is kicked off)')
      .option(
        '--kickoffs <n>',
        'hard budget of kickoffs; with 2 or more, their limits are probed',
        wholeNumber(1),
      )
      .option(
        '--max-requests <n>',
        'hard budget of requests (default: 600 for each operation)',
        wholeNumber(1),
      )
      .option(
        '--max-duration <time>',
        'hard budget of time, after which it reports what it knows (default: 30m)',
        duration,
      )
      .option(
        '--in-flight <n>',
        'executions in flight that the recommended settings must allow (default: 10)',
        wholeNumber(1),
      )
      .option(
        '--sustain <duration>',
        'how long to keep the safe rate, to find a second limit; 0s skips it (default: 60s)',
        durationOrNone,
      )
      .option('--ignore-headers', 'ignore what rate limit headers say')
      .addOption(studyEngineOption())
      .option('--seed <n>', 'seed of every random draw', wholeNumber(0))
    studyOptions(kickoffOptions(command, 'the kickoffs'))
  },
  async act(io, flags: LimitsFlags) {
    const { inferLimits } = await import('../../../study/limits/conduct/conduct.ts')
    const { planLimits } = await import('../../../study/limits/plan/plan.ts')
    const { limits: study } = await import('../../../study/limits/study.ts')
    const { ownFlags, readingOptionsOf, studyOptionsOf } =
      await import('../../flags/study-options.ts')
    const { demandSound } = await import('../../../study/frame/conduct/sound.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { operations, kickoffs: maxKickoffs, ignoreHeaders, ...timed } = flags
    const { sustain, maxDuration, ...others } = timed
    const own = {
      ...ownFlags(others),
      operations: operations === undefined ? undefined : operationsIn(operations),
      maxKickoffs,
      sustainMs: sustain === undefined ? undefined : sustain / MICROS_PER_MS,
      maxDurationMs: maxDuration === undefined ? undefined : maxDuration / MICROS_PER_MS,
      readHeaders: ignoreHeaders === true ? false : undefined,
    }
    const { from, target, profile } = flags
    const isRecorded = from !== undefined
    const options = isRecorded
      ? readingOptionsOf<LimitsOptions>({ ...own, target, profile }, io)
      : await studyOptionsOf<LimitsOptions>(own, flags, io)
    return runStudy(
      {
        study,
        question: 'Start? Refusals will be provoked.',
        unasked: true,
        plan: () => planLimits(options),
        readRuns: async (plan) => demandSound(plan.from),
        start: async (hooks) => inferLimits({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}

function operationsIn(list: string): LimitedOperation[] {
  const names = list.split(',').map((name) => name.trim())
  const known = names.filter((name) => OPERATIONS.some((each) => each === name))
  if (known.length === names.length) return known as LimitedOperation[]
  const problem = `expected a list of ${OPERATIONS.join(', ')}`
  throw new UserError({ source: '--operations', path: '', found: JSON.stringify(list), problem })
}
