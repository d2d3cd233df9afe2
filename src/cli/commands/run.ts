/** `crewload run`. */
import type { PlanFacts } from '../../report/run/terminal/plan.ts'
import { renderPlan } from '../../report/run/terminal/plan.ts'
import type { RunOptions } from '../../run/options.ts'
import { run } from '../../run/run.ts'
import { visibleJson } from '../../base/visible.ts'
import { askBefore } from '../shown/ask-before.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'
import { enginesOf } from '../flags/engines.ts'
import type { LoadOptions } from '../flags/options.ts'
import { commandWords, runOptionsOf, shellWord } from '../flags/to-run-options.ts'
import type { Shown } from '../shown/watched.ts'
import { watched } from '../shown/watched.ts'

export async function runCommand(scenario: string, flags: LoadOptions, io: Io): Promise<number> {
  const [choice, ...others] = enginesOf(flags)
  if (others.length > 0) {
    const { agreementCommand } = await import('./agreement.ts')
    return agreementCommand(scenario, flags, io)
  }
  const options = { ...(await runOptionsOf(flags, io)), engine: choice.engine }
  if (flags.dryRun === true) return dryRun(scenario, flags, options, io)
  const quiet = flags.quiet === true
  const code = await runAndShow(
    scenario,
    io,
    { quiet, json: flags.json === true },
    {
      ...options,
      command: commandWords(io.args),
      confirm: async (facts) => askBefore(questionOf(facts), flags, io, renderPlan(facts)),
    },
  )
  if (!quiet && flags.json !== true) tellOfTrigger(scenario, flags, io)
  return code
}

/** Shipped scenarios that `crewload recovery` disturbs: undisturbed they show little. */
const FOR_RECOVERY: ReadonlySet<string> = new Set(['recovery', 'retry-storm'])

function tellOfTrigger(scenario: string, { profile }: LoadOptions, io: Io): void {
  if (!FOR_RECOVERY.has(scenario)) return
  const place = profile === undefined ? '--target URL' : `--profile ${shellWord(profile)}`
  io.stdout.write(`
  Nothing disturbed the crew in this run. Whether it comes back after trouble is another command's question:
  next    crewload recovery ${scenario} ${place}
`)
}

function questionOf({ doubts }: PlanFacts): string {
  const start = 'Start? Each kickoff may cost money'
  if (doubts.length === 0) return `${start}.`
  const what = doubts.length === 1 ? 'a threshold' : `${doubts.length} thresholds`
  return `${start}, and ${what} will probably stay undecided (see ! above).`
}

async function dryRun(
  scenario: string,
  flags: LoadOptions,
  options: RunOptions,
  io: Io,
): Promise<number> {
  const { planOnly } = await import('../../run/plan/plan-only.ts')
  const { facts, plan, notes } = await planOnly(scenario, options)
  if (flags.json) io.stdout.write(`${visibleJson({ facts, plan, notes }, 2)}\n`)
  else io.stdout.write(renderPlan(facts))
  return EXIT.passed
}

/** Runs, shows how it goes on stderr and how it ended on stdout, and gives the exit code. */
export async function runAndShow(
  scenario: string,
  io: Io,
  shown: Shown,
  options: RunOptions,
): Promise<number> {
  return watched(shown, io, async (watching) => run(scenario, { ...options, ...watching }))
}
