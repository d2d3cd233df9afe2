/** Carries out one run: scenario, plan, folder, body. */
import { rm } from 'node:fs/promises'
import { decidabilityNotes } from '../result/verdict/decidable.ts'
import { together, UserError } from '../base/mistakes.ts'
import { createRunFolder } from './folder/folder.ts'
import type { Hold } from './folder/lock.ts'
import { lockFolder } from './folder/lock.ts'
import type { AnyScenario } from '../scenario/define.ts'
import type { Plan } from '../scenario/plan.ts'
import { chosenEngine, planFor } from './bodies/index.ts'
import type { RunOutcome } from './recorded-run.ts'
import { Declined } from './errors.ts'
import { planFacts } from './plan/facts.ts'
import type { RunOptions } from './options.ts'
import { engineOf } from './options.ts'
import { version } from './environment/version.ts'
import { placeFacts } from './target/place-facts.ts'
import { writeRecipe } from './plan/recipe.ts'
import { demandReadable } from './plan/readable.ts'
import { demandTelemetry } from '../host/telemetry/options.ts'
import { openTelemetry } from '../host/telemetry/open.ts'
import { demandKnownOptions } from './known-options.ts'

/**
 * Runs a scenario (a shipped name, a file, or what `defineScenario` returns) to its end, and judges
 * it. Throws UserError for the user's mistakes, all at once and before anything is sent, and
 * TargetError when the target cannot be reached or refuses us. A target that misbehaves later is
 * data.
 */
export async function run(
  scenario: string | AnyScenario,
  options: RunOptions = {},
): Promise<RunOutcome> {
  demandKnownOptions(options)
  const [plan] = await together(
    planFor(scenario, options),
    together(
      demandReadable(options),
      demandTelemetry(options, engineOf(options).kind === 'virtual'),
    ),
  )
  for (const note of decidabilityNotes(plan)) options.onNote?.(note)
  await confirmed(plan, options)
  const { out = 'reports' } = options
  const folder = out === false ? null : await createRunFolder(out, plan.name, new Date())
  let hold: Hold | null = null
  try {
    if (folder !== null) {
      hold = await lockFolder(folder.path)
      await writeRecipe(folder.path, scenario, options)
    }
    const file = typeof scenario === 'string' ? scenario : null
    const body = await chosenEngine(options).open(plan, options, file)
    try {
      // Here, because the first request need not wait for it, and the clock of the run must not.
      const { carried } = await import('./recorded-run.ts')
      const { target, runId } = body
      const telemetry = await openTelemetry({ target, runId, version: version() }, options)
      return await carried(body, folder, options, telemetry)
    } finally {
      await body.close()
    }
  } catch (error) {
    // Nothing was measured: an empty folder would be mistaken for a run.
    if (folder !== null && error instanceof UserError) await rm(folder.path, { recursive: true })
    throw error
  } finally {
    await hold?.release()
  }
}

async function confirmed(plan: Plan, options: RunOptions): Promise<void> {
  const facts = planFacts(plan, {
    ...placeFacts(options),
    engine: chosenEngine(options).words,
    costPerKickoff: options.costPerKickoff ?? null,
    maxCost: options.maxCost ?? null,
  })
  if (options.confirm === undefined || (await options.confirm(facts))) return
  throw new Declined('was not confirmed; nothing was sent')
}
