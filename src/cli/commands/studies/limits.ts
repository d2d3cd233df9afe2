/** `crewload limits`: infers the rate limits of a target. */
import { Option } from 'commander'
import { UserError } from '../../../base/mistakes.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { LimitedOperation } from '../../../study/limits/document.ts'
import type { LimitsOptions } from '../../../study/limits/plan/options.ts'
import type { MainCommand } from '../../command.ts'
import { EXIT_HELP } from '../../exit-codes.ts'
import { durationOrNone, targetOptions, wholeNumber } from '../../flags/options.ts'
import type { ReachFlags } from '../../flags/reach-options.ts'

interface LimitsFlags extends ReachFlags {
  operations?: string
  from?: string[]
  engine?: 'node' | 'virtual'
  kickoffId?: string
  kickoffs?: number
  inputs?: string
  inFlight?: number
  maxRequests?: number
  sustain?: number
  ignoreHeaders?: boolean
  seed?: number
  out: string
  yes?: boolean
  json?: boolean
  quiet?: boolean
}

const OPERATIONS: readonly LimitedOperation[] = ['status', 'inputs', 'kickoff']

const HELP = `Experiments are chosen by what they reveal: a ramp to the first refusals, bursts, pauses. Other
clients with the same token may be refused meanwhile. The answer is each operation's limit with its
certainty, a safe rate, and polling settings for a scenario, TypeScript and Python.

  crewload limits --profile rate-limited
  crewload limits --target https://crew.example --kickoffs 1
  crewload limits --from reports/steady-20261122T120000Z

Exit code 0: answered; 4: the evidence does not suffice, or the study was cut; 5: the target was
lost.
`

export const limits: MainCommand = {
  name: 'limits',
  group: 'Answer a question',
  description: 'which rate limits the target has, and how fast a client may poll',
  help: `${HELP}\n${EXIT_HELP}`,
  declare(command) {
    command
      .option(
        '--from <runs...>',
        'infer from the answers that these run folders hold; sends nothing',
      )
      .option('--operations <list>', 'of status, inputs, kickoff (default: "status,inputs")')
      .option('--kickoff-id <id>', 'execution to poll (default: one is kicked off)')
      .option(
        '--kickoffs <n>',
        'hard budget of kickoffs; with 2 or more, their limits are probed',
        wholeNumber(1),
      )
      .option(
        '--inputs <json>',
        "inputs of the kickoffs (default: sample values for the crew's names)",
      )
      .option('--max-requests <n>', 'hard budget of requests (default: 600)', wholeNumber(1))
      .option(
        '--in-flight <n>',
        'executions in flight that the recommended settings must allow (default: 10)',
        wholeNumber(1),
      )
      .option(
        '--sustain <duration>',
        'how long to keep the safe rate, to meet a second limit; 0s for not at all (default: 60s)',
        durationOrNone,
      )
      .option('--ignore-headers', 'ignore what rate limit headers say')
      .addOption(
        new Option(
          '--engine <name>',
          'engine (default: virtual with --profile, otherwise node)',
        ).choices(['virtual', 'node']),
      )
      .option('--seed <n>', 'seed of every random draw', wholeNumber(0))
      .option('--out <folder>', 'folder for run folders', 'reports')
      .option('--dry-run', 'print the plan and send nothing')
      .option('--quiet', 'print only errors')
    targetOptions(command)
  },
  async act(io, flags: LimitsFlags) {
    const { inferLimits } = await import('../../../study/limits/conduct/conduct.ts')
    const { planLimits } = await import('../../../study/limits/plan/plan.ts')
    const { limits: study } = await import('../../../study/limits/study.ts')
    const { commandWords } = await import('../../flags/command-words.ts')
    const { defined } = await import('../../flags/reach-options.ts')
    const { parseInputs } = await import('../../flags/inputs.ts')
    const { studyOptionsOf } = await import('../../flags/study-options.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { engine, kickoffId, kickoffs, inputs, inFlight, maxRequests, seed, out, sustain } = flags
    const own = {
      engine,
      from: flags.from,
      operations: flags.operations === undefined ? undefined : operationsIn(flags.operations),
      kickoffId,
      maxKickoffs: kickoffs,
      inputs: inputs === undefined ? undefined : parseInputs(inputs),
      inFlight,
      maxRequests,
      sustainMs: sustain === undefined ? undefined : sustain / MICROS_PER_MS,
      readHeaders: flags.ignoreHeaders === true ? false : undefined,
      seed,
      out,
    }
    const { target, profile } = flags
    const isRecorded = flags.from !== undefined
    const options = isRecorded
      ? defined<LimitsOptions>({ ...own, target, profile, command: commandWords(io.args) })
      : await studyOptionsOf<LimitsOptions>(own, flags, io)
    return runStudy(
      {
        study,
        question: 'Start? Refusals will be provoked.',
        whenInterrupted: 'the study ends here; what is known is reported',
        plan: () => planLimits(options),
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
