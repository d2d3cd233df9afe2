/** `crewload run`: runs a scenario. */
import { visibleJson } from '../../base/visible.ts'
import { setFlagsFromString } from 'node:v8'
import { text } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { option } from '../../base/options/table.ts'
import type { RunPlan } from '../../run/plan/run-plan.ts'
import type { RunOptions } from '../../run/options.ts'
import { RUN } from '../../run/options.ts'
import type { MainCommand } from '../command.ts'
import { EXIT, exitHelp } from '../exit-codes.ts'
import { OUTPUT } from '../flags/output.ts'
import type { Io } from '../io/io.ts'

/** The scenarios of the folder `scenarios`; `demo` has its own command. */
const SHIPPED = 'smoke, steady, ramp, spike, soak, closed, rate-limit, chaos, recovery, retry-storm'

const OPTIONS = {
  scenario: option('<scenario>', `a file, or a shipped name: ${SHIPPED}`, text, { required: true }),
  run: RUN,
  output: OUTPUT,
} satisfies OptionTable

type RunFlags = Given<typeof OPTIONS>

export const run: MainCommand = {
  name: 'run',
  group: 'Measure a crew',
  description: 'run a scenario against a crew and judge the result',
  help: exitHelp(),
  options: OPTIONS,
  act: async (io, flags: RunFlags) => runScenario(flags, io),
}

async function runScenario(flags: RunFlags, io: Io): Promise<number> {
  const { askedEngine } = await import('../../run/options.ts')
  const { reached } = await import('../flags/reach.ts')
  const { commandWords } = await import('../flags/command-words.ts')
  const { scenario, output } = flags
  const { dryRun = false, quiet = false, json = false } = output
  const engine = askedEngine(flags.run.engine, 'node')
  const inVirtual = engine.kind === 'virtual'
  const given = await reached({ ...flags.run, engine }, io, { dryRun, scenario, inVirtual })
  const options = { ...given, command: commandWords(io.args) }
  if (dryRun) return printPlan(flags, options, io)
  const { renderPlan } = await import('../../run/plan/text.ts')
  const { askBefore } = await import('../shown/ask-before.ts')
  const { runAndShow } = await import('../shown/watched.ts')
  if (engine.kind === 'node') collectSooner()
  const code = await runAndShow(
    scenario,
    io,
    { quiet, json },
    {
      ...options,
      confirm: async (facts) =>
        askBefore(questionOf(facts), { ...flags.run, ...output }, io, {
          shown: renderPlan(facts),
        }),
    },
  )
  if (!quiet && !json) await tellOfTrigger(flags, io)
  return code
}

/**
 * Collects when the heap has doubled; by default V8 lets it quadruple. With 100,000 executions in
 * flight the process peaks at 455 MB instead of 824 MB, for 5 % more CPU time.
 */
function collectSooner(): void {
  setFlagsFromString('--heap-growing-percent=100')
}

/** Shipped scenarios for `crewload recovery`: without a disturbance they show little. */
const FOR_RECOVERY: ReadonlySet<string> = new Set(['recovery', 'retry-storm'])

async function tellOfTrigger({ scenario, run: { profile } }: RunFlags, io: Io): Promise<void> {
  if (!FOR_RECOVERY.has(scenario)) return
  const { shellWord } = await import('../flags/command-words.ts')
  const place = profile === undefined ? '--target URL' : `--profile ${shellWord(profile)}`
  io.stdout.write(`
  Nothing disturbed the crew in this run. To test whether it recovers from a disturbance:
  next    crewload recovery ${scenario} ${place}
`)
}

function questionOf({ doubts }: RunPlan): string {
  const start = 'Start? Each kickoff may cost money'
  if (doubts.length === 0) return `${start}.`
  const what = doubts.length === 1 ? 'a threshold' : `${doubts.length} thresholds`
  return `${start}, and ${what} will probably be undecided (see ! above).`
}

async function printPlan(
  { scenario, output: { json } }: RunFlags,
  options: RunOptions,
  io: Io,
): Promise<number> {
  const { prepare } = await import('../../run/plan/prepare.ts')
  const { runPlanOf } = await import('../../run/plan/facts.ts')
  const { describePlan } = await import('../../scenario/plan-data.ts')
  const { decidabilityNotes } = await import('../../result/verdict/decidable.ts')
  const { renderPlan } = await import('../../run/plan/text.ts')
  const plan = await prepare(scenario, options)
  const facts = runPlanOf(plan, options)
  const told = { facts, plan: describePlan(plan), notes: decidabilityNotes(plan) }
  if (json === true) io.stdout.write(`${visibleJson(told, 2)}\n`)
  else io.stdout.write(renderPlan(facts))
  return EXIT.passed
}
