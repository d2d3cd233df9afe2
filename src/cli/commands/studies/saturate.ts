/** `crewload saturate`: measures the ceiling of one endpoint. */
import { Argument } from 'commander'
import type { SaturatedEndpoint } from '../../../study/saturation/document.ts'
import type { SaturateOptions } from '../../../study/saturation/plan/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import type { StudyFlags } from '../../flags/definitions.ts'
import { studyOptions } from '../../flags/definitions.ts'
import type { KickoffFlags } from '../../flags/inputs.ts'
import { kickoffOptions } from '../../flags/inputs.ts'
import { wholeNumber } from '../../flags/values.ts'

type SaturateFlags = StudyFlags &
  KickoffFlags &
  Pick<
    SaturateOptions,
    | 'connections'
    | 'repeats'
    | 'duration'
    | 'warmUp'
    | 'timeout'
    | 'polling'
    | 'kickoffId'
    | 'maxKickoffs'
    | 'maxRequests'
  >

const HELP = `Each connection sends its next request as soon as the last one is answered. The knee
is the smallest number of connections that reaches 95 % of the highest throughput, beyond which
more connections add nothing. Each rung is visited several times, in shuffled order after the first
pass, so that the intervals also cover what changes between visits; the knee is a range. With a fake crew, the execution is polled to its end before the
ladder of status begins.
`

const CODES = {
  passed: 'measured',
  failed: null,
  inconclusive:
    'the true ceiling is higher, is not known precisely enough, or was measured on two kinds of answers',
}

export const saturate: MainCommand = {
  name: 'saturate',
  group: 'Answer a question',
  description: 'find the maximum throughput of one endpoint, by a ladder of connections',
  help: `${HELP}\n${exitHelp(CODES)}`,
  declare(command) {
    command
      .addArgument(
        new Argument('<endpoint>', 'GET /inputs, GET /status/{id} or POST /kickoff').choices([
          'inputs',
          'status',
          'kickoff',
        ]),
      )
      .option(
        '--connections <ladder>',
        'largest number of connections, reached by doubling, or a list: 1,2,4,8',
        '64',
      )
      .option('--repeats <n>', 'visits of each rung (default: 6, for kickoffs 1)', wholeNumber(1))
      .option('--duration <duration>', 'duration of each visit', '3s')
      .option(
        '--warm-up <duration>',
        'warm-up before each visit (default: "500ms", for kickoffs "0")',
      )
      .option('--timeout <duration>', 'time-out of one request', '10s')
      .option(
        '--polling <duration>',
        'show how many executions status can serve at this polling interval',
      )
      .option('--kickoff-id <id>', 'execution to poll (default: one is kicked off)')
      .option('--max-kickoffs <n>', 'hard budget of kickoffs, required to send any', wholeNumber(1))
      .option('--max-requests <n>', 'hard budget of requests', wholeNumber(1))
    studyOptions(kickoffOptions(command, 'the kickoffs'))
  },
  async act(io, endpoint: SaturatedEndpoint, flags: SaturateFlags) {
    const { saturate: climb } = await import('../../../study/saturation/conduct/conduct.ts')
    const { designSaturation } = await import('../../../study/saturation/plan/plan.ts')
    const { saturation } = await import('../../../study/saturation/study.ts')
    const { ownFlags, studyOptionsOf } = await import('../../flags/study-options.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const own = { endpoint, ...ownFlags(flags) }
    const options = await studyOptionsOf<SaturateOptions>(own, flags, io)
    return runStudy(
      {
        study: saturation,
        question: 'Start? Requests are sent as fast as they are answered.',
        plan: () => designSaturation(options).plan,
        start: async (hooks) => climb({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}
