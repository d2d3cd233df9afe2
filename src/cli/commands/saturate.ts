/** `crewload saturate`. */
import { Argument } from 'commander'
import type { SaturatedEndpoint } from '../../study/saturation/document.ts'
import type { SaturateOptions } from '../../study/saturation/plan/options.ts'
import type { MainCommand } from '../command.ts'
import { EXIT_HELP } from '../exit-codes.ts'
import { targetOptions, wholeNumber } from '../flags/options.ts'
import type { ReachFlags } from '../flags/reach-options.ts'

interface SaturateFlags extends ReachFlags {
  connections?: string
  duration?: string
  warmUp?: string
  timeout?: string
  polling?: string
  kickoffId?: string
  inputs?: string
  maxKickoffs?: number
  maxRequests?: number
  out: string
  yes?: boolean
  json?: boolean
  quiet?: boolean
}

const HELP = `Each connection asks again as soon as it is answered. The knee is the fewest connections that reach 95 % of
the highest throughput, where more connections bring no more. A fake crew's execution is followed to its end before
status is climbed. Exit code 4: the true ceiling lies higher, is known too roughly, or is that of a mixture.
`

export const saturate: MainCommand = {
  name: 'saturate',
  group: 'Answer a question',
  description: 'the most that one endpoint carries: a ladder of connections, by autocannon',
  help: `${HELP}\n${EXIT_HELP}`,
  declare(command) {
    command
      .addArgument(
        new Argument('<endpoint>', 'GET /inputs, GET /status/{id} or POST /kickoff').choices([
          'inputs',
          'status',
          'kickoff',
        ]),
      )
      .option('--connections <ladder>', 'a number to double up to, or a list: 1,2,4,8', '64')
      .option('--duration <duration>', 'of each rung', '5s')
      .option('--warm-up <duration>', 'before each rung (default: "1s", for kickoffs "0")')
      .option('--timeout <duration>', 'of one request', '10s')
      .option(
        '--polling <duration>',
        'tell the executions in flight that status feeds at this interval',
      )
      .option('--kickoff-id <id>', 'the execution that status asks about (else one is kicked off)')
      .option('--inputs <json>', "inputs of the kickoffs (else sample values for the crew's names)")
      .option(
        '--max-kickoffs <n>',
        'hard budget of kickoffs, always needed to send any',
        wholeNumber(1),
      )
      .option('--max-requests <n>', 'hard budget of requests', wholeNumber(1))
      .option('--out <folder>', 'where run folders are written', 'reports')
      .option('--dry-run', 'print the plan and send nothing')
      .option('--quiet', 'print nothing but errors')
    targetOptions(command)
  },
  async act(io, endpoint: SaturatedEndpoint, flags: SaturateFlags) {
    const { saturate: climb } = await import('../../study/saturation/conduct/conduct.ts')
    const { designSaturation } = await import('../../study/saturation/plan/plan.ts')
    const { saturation } = await import('../../study/saturation/study.ts')
    const { parseInputs } = await import('../flags/inputs.ts')
    const { studyOptionsOf } = await import('../flags/study-options.ts')
    const { runStudy } = await import('../shown/study.ts')
    const { connections, duration, warmUp, timeout, polling, kickoffId, inputs } = flags
    const { maxKickoffs, maxRequests, out } = flags
    const own = {
      endpoint,
      connections,
      duration,
      warmUp,
      timeout,
      polling,
      kickoffId,
      inputs: inputs === undefined ? undefined : parseInputs(inputs),
      maxKickoffs,
      maxRequests,
      out,
    }
    const options = await studyOptionsOf<SaturateOptions>(own, flags, io)
    return runStudy(
      {
        study: saturation,
        question: 'Start? It will be asked as fast as it answers.',
        whenInterrupted: 'the ladder ends here; the rungs that are done are reported',
        plan: () => designSaturation(options).plan,
        start: async (hooks) => climb({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}
