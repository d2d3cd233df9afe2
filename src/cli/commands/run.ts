/** `crewload run`: runs a scenario. */
import { visibleJson } from '../../base/visible.ts'
import type { PlanFacts } from '../../report/run/terminal/plan.ts'
import type { RunOptions } from '../../run/options.ts'
import type { MainCommand } from '../command.ts'
import { EXIT, exitHelp } from '../exit-codes.ts'
import type { LoadOptions } from '../flags/definitions.ts'
import { loadOptions, targetOptions } from '../flags/definitions.ts'
import type { Io } from '../io/io.ts'

/** The scenarios of the folder `scenarios`; `demo` has its own command. */
const SHIPPED = 'smoke, steady, ramp, spike, soak, closed, rate-limit, chaos, recovery, retry-storm'

export const run: MainCommand = {
  name: 'run',
  group: 'Measure a crew',
  description: 'run a scenario against a crew and judge the result',
  help: exitHelp(),
  declare(command) {
    command.argument('<scenario>', `a file, or a shipped name: ${SHIPPED}`)
    loadOptions(targetOptions(command))
  },
  act: async (io, scenario: string, flags: LoadOptions) => runScenario(scenario, flags, io),
}

async function runScenario(scenario: string, flags: LoadOptions, io: Io): Promise<number> {
  const { engineOf } = await import('../flags/engines.ts')
  const { runOptionsOf } = await import('../flags/to-run-options.ts')
  const { beside } = await import('../../base/mistakes.ts')
  const { scenarioFile } = await import('../../run/scenario/load.ts')
  const engine = engineOf(flags, 'node')
  const given = await beside(runOptionsOf(flags, io), async () => scenarioFile(scenario))
  const options = { ...given, engine }
  if (flags.dryRun === true) return dryRun(scenario, flags, options, io)
  const { renderPlan } = await import('../../report/run/terminal/plan.ts')
  const { askBefore } = await import('../shown/ask-before.ts')
  const { runAndShow } = await import('../shown/watched.ts')
  const { collectSooner } = await import('../io/heap.ts')
  if (engine.kind === 'node') collectSooner()
  const quiet = flags.quiet === true
  const code = await runAndShow(
    scenario,
    io,
    { quiet, json: flags.json === true },
    {
      ...options,
      confirm: async (facts) =>
        askBefore(questionOf(facts), flags, io, { shown: renderPlan(facts) }),
    },
  )
  if (!quiet && flags.json !== true) await tellOfTrigger(scenario, flags, io)
  return code
}

/** Shipped scenarios for `crewload recovery`: without a disturbance they show little. */
const FOR_RECOVERY: ReadonlySet<string> = new Set(['recovery', 'retry-storm'])

async function tellOfTrigger(scenario: string, { profile }: LoadOptions, io: Io): Promise<void> {
  if (!FOR_RECOVERY.has(scenario)) return
  const { shellWord } = await import('../flags/command-words.ts')
  const place = profile === undefined ? '--target URL' : `--profile ${shellWord(profile)}`
  io.stdout.write(`
  Nothing disturbed the crew in this run. To test whether it recovers from a disturbance:
  next    crewload recovery ${scenario} ${place}
`)
}

function questionOf({ doubts }: PlanFacts): string {
  const start = 'Start? Each kickoff may cost money'
  if (doubts.length === 0) return `${start}.`
  const what = doubts.length === 1 ? 'a threshold' : `${doubts.length} thresholds`
  return `${start}, and ${what} will probably be undecided (see ! above).`
}

async function dryRun(
  scenario: string,
  { json }: LoadOptions,
  options: RunOptions,
  io: Io,
): Promise<number> {
  const { planOnly } = await import('../../run/plan-only.ts')
  const { renderPlan } = await import('../../report/run/terminal/plan.ts')
  const { facts, plan, notes } = await planOnly(scenario, options)
  if (json === true) io.stdout.write(`${visibleJson({ facts, plan, notes }, 2)}\n`)
  else io.stdout.write(renderPlan(facts))
  return EXIT.passed
}
