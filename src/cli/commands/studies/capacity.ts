/** `crewload capacity`. */
import type { CapacityOptions } from '../../../study/capacity/plan/options.ts'
import type { MainCommand } from '../../command.ts'
import { EXIT_HELP } from '../../exit-codes.ts'
import type { PlanFlags, StudyFlags } from '../../flags/definitions.ts'
import { scenarioStudyOptions, studyEngineOptions } from '../../flags/definitions.ts'
import { wholeNumber } from '../../flags/values.ts'

type CapacityFlags = StudyFlags &
  PlanFlags &
  Pick<CapacityOptions, 'slo' | 'from' | 'within' | 'expect' | 'maxInFlight' | 'engine' | 'network'>

const HELP = `It fills the crew with clients that each follow one execution by the next, until
executions wait for a worker; samples service times while the crew is full; finds the rate at
which a promise breaks in a simulation of these workers and service times; and confirms that rate
on the crew. The scenario gives inputs, polling, retries and deadline; its own load is not used.

With --from, recorded runs of the same crew count as evidence: a run that filled it spares most of
the load, and the rate is still confirmed on the crew. --from alone, without a target or a
profile, sends nothing; it answers where the runs' own arrivals confirm the model, and says how
many kickoffs would do so where they do not.

  crewload capacity steady --slo 'execution.p95 < 5m' --from reports/steady-*

Promises are those of thresholds: execution.p<number>, execution.completed.p<number>,
execution.failed, outcome.unserved, outcome.completed, outcome.failed, outcome.rejected and
outcome.stuck. With a profile it takes place in virtual time, unless --engine node or k6 is given.
Exit code 0: answered, and at least what --expect says; 1: less than that, or no rate at all keeps
the promises; 4: cannot tell, with what would settle it.
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
    scenarioStudyOptions(studyEngineOptions(command, 'k6'))
  },
  async act(io, scenario: string, flags: CapacityFlags) {
    const { findCapacity } = await import('../../../study/capacity/conduct/conduct.ts')
    const { designCapacity } = await import('../../../study/capacity/plan/plan.ts')
    const { capacity: study } = await import('../../../study/capacity/study.ts')
    const { readingOptionsOf, scenarioFlags, studyOptionsOf } =
      await import('../../flags/study-options.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { from, target, profile } = flags
    const own = { scenario, ...scenarioFlags(flags) }
    const isAlone = from !== undefined && target === undefined && profile === undefined
    const options = isAlone
      ? readingOptionsOf<CapacityOptions>(own, io)
      : await studyOptionsOf<CapacityOptions>(own, flags, io)
    return runStudy(
      {
        study,
        plan: async () => (await designCapacity(options)).facts,
        start: async (hooks) => findCapacity({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}
