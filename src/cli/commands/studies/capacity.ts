/** `crewload capacity`. */
import { Option } from 'commander'
import type { CapacityOptions } from '../../../study/capacity/plan/options.ts'
import type { MainCommand } from '../../command.ts'
import { EXIT_HELP } from '../../exit-codes.ts'
import type { PlanFlags } from '../../flags/options.ts'
import { planOptions, targetOptions, wholeNumber } from '../../flags/options.ts'
import type { ReachFlags } from '../../flags/reach-options.ts'

interface CapacityFlags extends ReachFlags, PlanFlags {
  slo: string
  from?: string[]
  within?: string
  expect?: string
  maxInFlight?: number
  engine?: 'node' | 'virtual'
  network?: string
  out: string
  yes?: boolean
  json?: boolean
  quiet?: boolean
}

const HELP = `It fills the crew with clients that each follow one execution by the next, until executions wait for a worker; samples
service times while the crew is full; finds the rate at which a promise breaks in a simulation of these workers and service
times; and confirms that rate on the crew. The scenario gives inputs, polling, retries and deadline; its own load is not used.

With --from, recorded runs of the same crew count as evidence: a run that filled it spares most of the load, and the rate is
still confirmed on the crew. --from alone, without a target or a profile, sends nothing; it answers where the runs' own
arrivals confirm the model, and says how many kickoffs would do so where they do not.

  crewload capacity steady --slo 'execution.p95 < 5m' --from reports/steady-20261122T120000Z

Promises are those of thresholds: execution.p<number>, execution.completed.p<number>, execution.failed, outcome.unserved,
outcome.completed, outcome.failed, outcome.rejected and outcome.stuck. With a profile it takes place in virtual time, unless
--engine node is given. Exit code 0: answered, and at least what --expect says; 1: less than that, or no rate at all keeps the
promises; 4: cannot tell, with what would settle it.
`

export const capacity: MainCommand = {
  name: 'capacity',
  group: 'Answer a question',
  description: 'how many kickoffs an hour before a promise to users breaks, and which one',
  help: `${HELP}\n${EXIT_HELP}`,
  declare(command) {
    command
      .argument('<scenario>', 'a shipped scenario or a file')
      .requiredOption(
        '--slo <promises>',
        'promises to users, like "execution.p95 < 120s, outcome.unserved < 2%"',
      )
      .option('--from <runs...>', 'run folders of the same crew that count as evidence')
      .option('--within <share>', 'half-width of the interval of the answer (default: "5%")')
      .option('--expect <rate>', 'what is needed, like "300/h": less is a failure')
      .option(
        '--max-in-flight <n>',
        'the most executions that are tried at once (default: 1024)',
        wholeNumber(1, 10_000),
      )
      .addOption(
        new Option(
          '--engine <name>',
          'engine (default: virtual with --profile, otherwise node)',
        ).choices(['virtual', 'node']),
      )
      .option('--network <name|folder>', 'network that --engine virtual simulates')
      .option('--out <folder>', 'folder for run folders', 'reports')
      .option('--dry-run', 'print the plan and send nothing')
      .option('--quiet', 'print only errors')
    planOptions(targetOptions(command))
  },
  async act(io, scenario: string, flags: CapacityFlags) {
    const { findCapacity } = await import('../../../study/capacity/conduct/conduct.ts')
    const { designCapacity } = await import('../../../study/capacity/plan/plan.ts')
    const { capacity: study } = await import('../../../study/capacity/study.ts')
    const { commandWords } = await import('../../flags/command-words.ts')
    const { defined } = await import('../../flags/reach-options.ts')
    const { studyOptionsOf } = await import('../../flags/study-options.ts')
    const { planOptionsOf } = await import('../../flags/to-run-options.ts')
    const { DRAINS } = await import('../../io/interruption.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { slo, from, within, expect, maxInFlight, engine, network, out } = flags
    const plan = planOptionsOf(flags)
    const asked = { slo, from, within, expect, maxInFlight, engine, network }
    const own = { scenario, ...plan, ...asked, out }
    const isAlone = from !== undefined && flags.target === undefined && flags.profile === undefined
    const options = isAlone
      ? { ...defined<CapacityOptions>(own), command: commandWords(io.args) }
      : await studyOptionsOf<CapacityOptions>(own, flags, io)
    return runStudy(
      {
        study,
        question: 'Start? Each kickoff may cost money.',
        whenInterrupted: DRAINS,
        plan: async () => (await designCapacity(options)).facts,
        start: async (hooks) => findCapacity({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}
