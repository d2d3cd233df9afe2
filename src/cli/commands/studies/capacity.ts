/** `crewload capacity`. */
import type { CapacityOptions } from '../../../study/capacity/plan/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import type { PlanFlags, StudyFlags } from '../../flags/definitions.ts'
import { scenarioStudyOptions, studyEngineOptions } from '../../flags/definitions.ts'
import { wholeNumber } from '../../flags/values.ts'

type CapacityFlags = StudyFlags &
  PlanFlags &
  Pick<CapacityOptions, 'slo' | 'from' | 'within' | 'expect' | 'maxInFlight' | 'engine' | 'network'>

const HELP = `It increases the number of clients until executions wait for a worker. Each client starts an
execution when its last one ends. It samples service times while the crew is full, finds
the rate at which a promise breaks in a simulation of these workers and service times, and
confirms that rate on the crew. The scenario supplies inputs, polling, retries and deadline; its
own load is not used.

With --from, recorded runs of the same crew count as evidence: a run that filled the crew makes
most of the load unnecessary, and the rate is still confirmed on the crew. --from alone, without a
target or a profile, sends nothing. It answers if the arrivals of the runs confirm the model, and
otherwise says how many kickoffs would confirm it.

  crewload capacity steady --slo 'execution.p95 < 5m' --from reports/steady-*

Promises are thresholds of these metrics: execution.p<number>, execution.completed.p<number>,
execution.failed, outcome.unserved, outcome.completed, outcome.failed, outcome.rejected and
outcome.stuck. With a profile it takes place in virtual time, unless --engine node or k6 is given.
`

const CODES = {
  passed: 'answered; with --expect, the capacity is at least that',
  failed: 'the capacity is below --expect, or no rate keeps the promises',
  inconclusive: 'undecided; says what would settle it',
  unreachable: 'target never reached, or lost during the study',
}

export const capacity: MainCommand = {
  name: 'capacity',
  group: 'Answer a question',
  description: 'find how many kickoffs per hour a crew can take before a promise to users breaks',
  help: `${HELP}\n${exitHelp(CODES)}`,
  declare(command) {
    command
      .argument('<scenario>', 'a file, or a shipped name')
      .requiredOption(
        '--slo <promises>',
        'promises to users, like "execution.p95 < 120s, outcome.unserved < 2%"',
      )
      .option('--from <runs...>', 'run folders of the same crew that count as evidence')
      .option('--within <share>', 'half-width of the interval of the capacity (default: "5%")')
      .option('--expect <rate>', 'required rate, like "300/h"; a lower capacity fails')
      .option(
        '--max-in-flight <n>',
        'most executions at once (default: 1024)',
        wholeNumber(1, 10_000),
      )
    scenarioStudyOptions(studyEngineOptions(command, 'k6'))
  },
  async act(io, scenario: string, flags: CapacityFlags) {
    const { findCapacity } = await import('../../../study/capacity/conduct/conduct.ts')
    const { readRecorded } = await import('../../../study/capacity/conduct/recorded.ts')
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
        readRuns: async (plan) => {
          for (const run of plan.from) await readRecorded(run)
        },
        start: async (hooks) => findCapacity({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}
