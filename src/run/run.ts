/** One run, wired: scenario, plan, body, journal, recorder, reports. */
import { rm } from 'node:fs/promises'
import { versions } from 'node:process'
import type { ResultDocument } from '../analysis/document.ts'
import { decidabilityNotes } from '../analysis/verdict/decidable.ts'
import { together, UserError } from '../base/mistakes.ts'
import type { RunFolder } from './folder/folder.ts'
import { createRunFolder } from './folder/folder.ts'
import type { Hold } from './folder/lock.ts'
import { lockFolder } from './folder/lock.ts'
import type { FindingLine } from '../execution/record/journal-lines.ts'
import type { Scenario } from '../scenario/define.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Abandoned, Body } from './bodies/body.ts'
import { chosenEngine } from './bodies/index.ts'
import { LineSink } from './line-sink.ts'
import { Declined } from './errors.ts'
import { planFacts } from './plan/facts.ts'
import type { RunOptions } from './options.ts'
import { engineOf } from './options.ts'
import { placeWords } from './target/chosen-place.ts'
import { writeRecipe } from './plan/recipe.ts'
import { preparePlan } from './plan/prepare.ts'
import { demandReadable } from './plan/readable.ts'
import { tryReports } from './reports.ts'
import { demandTelemetry } from './telemetry/demand.ts'
import type { Telemetry } from './telemetry/open.ts'
import { openTelemetry } from './telemetry/open.ts'
import { demandKnownOptions } from './known-options.ts'
import { machineOf } from './environment/machine.ts'

export interface RunOutcome {
  document: ResultDocument
  /** The folder in which everything was written; null when nothing was. */
  folder: string | null
  /**
   * Executions that were still running on the target when the run gave them up: each may continue
   * to cost money.
   */
  abandoned: readonly Abandoned[]
  /**
   * Why the reports could not be written completely (a full disk, a missing folder); null when they
   * were.
   */
  unwritten: string | null
}

/**
 * Runs a scenario (a shipped name, a file, or what `defineScenario` returns) to its end, and judges
 * it. Throws UserError for the user's mistakes, all at once and before anything is sent, and
 * TargetError when the target cannot be reached or refuses us. A target that misbehaves later is
 * data.
 */
export async function run(
  scenario: string | Scenario,
  options: RunOptions = {},
): Promise<RunOutcome> {
  demandKnownOptions(options)
  const [plan] = await together(
    preparePlan(scenario, options),
    together(demandReadable(options), demandTelemetry(options)),
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
      return await runIn(body, folder, options, await openTelemetry(body, options))
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
    ...placeWords(options),
    engine: chosenEngine(options).words,
    costPerKickoff: options.costPerKickoff ?? null,
    maxCost: options.maxCost ?? null,
  })
  if (options.confirm === undefined || (await options.confirm(facts))) return
  throw new Declined('was not confirmed; nothing was sent')
}

async function runIn(
  body: Body,
  folder: RunFolder | null,
  options: RunOptions,
  telemetry: Telemetry | null,
): Promise<RunOutcome> {
  const lineSink = new LineSink(folder, {
    telemetry,
    claims: body.hasLedger,
    repeatable: engineOf(options).kind === 'virtual',
    onTrouble: options.onTrouble,
  })
  try {
    const { ledger, abandoned } = await body.carry(lineSink)
    for (const lost of (await telemetry?.close()) ?? []) lineSink.keep(noteLine(lost))
    const document = lineSink.recorder.document({
      profile: body.profile,
      command: options.command ?? null,
      node: versions.node,
      machine: machineOf(options),
      unreadableLines: lineSink.unreadableLines,
      ledger,
    })
    const unwritten = folder === null ? null : await tryReports(folder.path, document, ledger)
    // A fake crew that was started for the run has ended with it, so nothing is left running on it.
    const left = options.profile === undefined ? abandoned : []
    return { document, folder: folder?.path ?? null, abandoned: left, unwritten }
  } finally {
    await telemetry?.close()
    lineSink.close()
  }
}

/** It belongs to the run, rather than to an instance or a moment. */
function noteLine(message: string): FindingLine {
  const finding = { kind: 'note', message } as const
  return { type: 'finding', instance: 0, atMicros: 0, index: null, finding }
}
