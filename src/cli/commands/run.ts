/** `crewload run`. */
import { renderPlan, renderTerminal } from '../../report/index.ts'
import type { RunOptions, RunOutcome } from '../../run/index.ts'
import { run } from '../../run/index.ts'
import { askBefore } from '../ask-before.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { wantsColor } from '../io.ts'
import type { LoadOptions } from '../options.ts'
import { Interruption } from '../interruption.ts'
import { createProgress } from '../progress.ts'
import { commandWords, runOptionsOf } from '../run-options.ts'

export async function runCommand(scenario: string, flags: LoadOptions, io: Io): Promise<number> {
  const [engine, ...others] = flags.engine
  if (others.length > 0) {
    const { agreementCommand } = await import('./agreement.ts')
    return agreementCommand(scenario, flags, io)
  }
  const options = { ...(await runOptionsOf(flags, io)), ...engine?.options }
  if (flags.dryRun === true) return dryRun(scenario, flags, options, io)
  const quiet = flags.quiet === true
  return runAndShow(
    scenario,
    io,
    { quiet, json: flags.json === true },
    {
      ...options,
      command: commandWords(io.args),
      confirm: async (facts) =>
        askBefore('Start? Each kickoff may cost money.', flags, io, renderPlan(facts)),
    },
  )
}

async function dryRun(
  scenario: string,
  flags: LoadOptions,
  options: RunOptions,
  io: Io,
): Promise<number> {
  const { planOnly } = await import('../../run/plan-only.ts')
  const { facts, plan, notes } = await planOnly(scenario, options)
  if (flags.json) io.stdout.write(`${JSON.stringify({ facts, plan, notes }, null, 2)}\n`)
  else io.stdout.write(renderPlan(facts) + notes.map((note) => `  note: ${note}\n`).join(''))
  return EXIT.passed
}

/** Runs, shows how it goes on stderr and how it ended on stdout, and gives the exit code. */
export async function runAndShow(
  scenario: string,
  io: Io,
  shown: { quiet: boolean; json: boolean },
  options: RunOptions,
): Promise<number> {
  const progress = createProgress(io, shown.quiet)
  const interruption = new Interruption(io)
  try {
    const outcome = await run(scenario, {
      ...options,
      onNote: (note) => {
        if (!shown.quiet) io.stderr.write(`note: ${note}\n`)
      },
      onStart: (control) => interruption.arm(control),
      onProgress: (live) => progress.show(live),
    })
    progress.clear()
    print(outcome, io, shown)
    if (outcome.unwritten !== null) return EXIT.invalid
    return exitCodeOf(outcome.document.verdict.outcome, interruption.happened)
  } finally {
    interruption.disarm()
  }
}

function print(outcome: RunOutcome, io: Io, shown: { quiet: boolean; json: boolean }): void {
  const { document, folder, abandoned, unwritten } = outcome
  const reportPath = folder === null || unwritten !== null ? null : `${folder}/report.html`
  if (shown.json) io.stdout.write(`${JSON.stringify(document)}\n`)
  else if (!shown.quiet) {
    const color = wantsColor(io, io.stdout)
    io.stdout.write(renderTerminal(document, { color, width: io.stdout.width, reportPath }))
  }
  if (unwritten !== null) {
    io.stderr.write(`crewload: the reports could not be written to ${folder}: ${unwritten}\n`)
  }
  if (abandoned.length === 0) return
  const ids = abandoned.map(({ kickoffId }) => `  ${kickoffId}\n`).join('')
  io.stderr.write(`crewload: given up while still running on the target:\n${ids}`)
}
