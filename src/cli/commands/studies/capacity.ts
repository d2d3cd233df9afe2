/** `crewload capacity`. */
import type { Given, OptionTable } from '../../../base/options/table.ts'
import { CAPACITY } from '../../../study/capacity/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import { commandWords } from '../../flags/command-words.ts'
import { OF_STUDIES, OUTPUT } from '../../flags/output.ts'

const OPTIONS = { study: CAPACITY, output: OUTPUT, ...OF_STUDIES } satisfies OptionTable

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
  options: OPTIONS,
  async act(io, { study: asked, output }: Given<typeof OPTIONS>) {
    const { findCapacity } = await import('../../../study/capacity/conduct/conduct.ts')
    const { readRecorded } = await import('../../../study/capacity/conduct/observer.ts')
    const { designCapacity } = await import('../../../study/capacity/plan/plan.ts')
    const { capacity: study } = await import('../../../study/capacity/study.ts')
    const { reached, unreached } = await import('../../flags/reach.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { from, scenario } = asked
    const { target, profile } = asked.run
    const isAlone = from !== undefined && target === undefined && profile === undefined
    const run = isAlone
      ? unreached(asked.run)
      : await reached(asked.run, io, { ...output, scenario })
    const options = { ...asked, run, command: commandWords(io.args) }
    return runStudy(
      {
        study,
        plan: async () => (await designCapacity(options)).facts,
        readRuns: async (plan) => {
          for (const each of plan.from) await readRecorded(each)
        },
        start: async (hooks) => findCapacity({ ...options, ...hooks }),
      },
      { ...output, target },
      io,
    )
  },
}
