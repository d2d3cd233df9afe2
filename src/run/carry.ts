/** Carries a plan at its place to its end, whoever asks: a person, or the trial of a study. */
import { dirname } from 'node:path'
import { versions } from 'node:process'
import type { ResultDocument } from '../result/document.ts'
import type { Ledger } from '../result/ledger/reconcile.ts'
import { UserError } from '../base/mistakes.ts'
import type { IncidentLine, JournalLine } from '../execution/record/journal-lines.ts'
import type { TelemetryNote } from '../execution/record/notes.ts'
import { openTelemetry } from '../host/telemetry/open.ts'
import type { AnyScenario } from '../scenario/define.ts'
import type { Plan } from '../scenario/plan.ts'
import { chosenEngine } from './chosen-engine.ts'
import type { Body } from './bodies/body.ts'
import type { Abandoned } from './progress.ts'
import { version } from './environment/package.ts'
import type { RunFolder } from './folder/folder.ts'
import { discardFolder } from './folder/make.ts'
import { inFolder } from './folder/stop.ts'
import { JournalLost } from './errors.ts'
import type { Merged } from './merge.ts'
import type { JournalManner, LineSink } from './line-sink.ts'
import { withSinks } from './line-sink.ts'
import type { RunOptions } from './options.ts'
import { engineOf } from './options.ts'
import type { RecipeToKeep } from './plan/recipe.ts'
import { shownChanges, writeRecipe } from './plan/recipe.ts'
import { tryReports } from './reports.ts'
import { proxyWords } from './target/chosen-place.ts'
import { InputsRefused } from './target/refused-inputs.ts'
import { arch, availableParallelism, cpus, platform } from 'node:os'
import { plural } from '../base/numbers.ts'

export interface RunOrder {
  /** The scenario as it was named, or the object itself. */
  scenario: string | AnyScenario
  /** The plan that the scenario makes under `options`. */
  plan: Plan
  /** The values that replace parts of the plan: arrivals, seed, polling, ... Default: none. */
  changes?: Partial<Plan>
  /** The place and the engine: virtual time, a fake crew, a target; with the faults of the run. */
  options: RunOptions
  /**
   * Whether the result is compared with the ledger, and its reports are written. Default: the
   * folder gets only the journal.
   */
  reports?: boolean
  /** Receives each line of the journal. */
  onLine?: (line: JournalLine) => void
  /** Called when the load is over, however it ended, while the place is still open. */
  onOver?: () => Promise<void>
}

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
   * were, or when none were wanted.
   */
  unwritten: string | null
}

export interface CarriedRun extends RunOutcome {
  /** Null when there is none, or when it could no longer be read. */
  ledger: Ledger | null
}

/**
 * `folder` receives the journal, so that a kill cannot lose what was paid for, and what `crewload
 * resume` needs to follow the run to its end; null writes nothing. Throws UserError and TargetError
 * before the first kickoff, and then removes the folder: it would be mistaken for a run; and
 * InputsRefused after one, whose journal stays.
 */
export async function carryRun(order: RunOrder, folder: RunFolder | null): Promise<CarriedRun> {
  const { scenario, changes } = order
  const plan = { ...order.plan, ...changes }
  const file = typeof scenario === 'string' ? scenario : null
  return carry(folder, order.options, {
    recipe: { scenario, seed: plan.seed, amended: changes },
    open: async (options) => chosenEngine(options).open(plan, options, file),
    carried: async (body) => carried(body, order, folder),
  })
}

interface Carrying<Opened, Outcome> {
  recipe: RecipeToKeep
  open: (options: RunOptions) => Promise<Opened>
  carried: (opened: Opened) => Promise<Outcome>
}

/**
 * Carries what was opened with the folder locked, obeying what is asked in it. A kickoff that was
 * sent may have been paid for: its line is the only trace of it, and the folder stays.
 */
export async function carry<Opened extends { close: () => Promise<void> }, Outcome>(
  folder: RunFolder | null,
  given: RunOptions,
  { recipe, open, carried: follow }: Carrying<Opened, Outcome>,
): Promise<Outcome> {
  const path = folder?.path ?? null
  return inFolder(path, given, async (options) => {
    try {
      if (path !== null) await writeRecipe(path, recipe, options)
      const opened = await open(options)
      return await follow(opened).finally(async () => opened.close())
    } catch (error) {
      if (path === null) throw error
      const wasSent = error instanceof InputsRefused
      if (wasSent) options.onNote?.(`the journal of the refused kickoff is in ${path}`)
      else if (error instanceof UserError) await discardFolder(path)
      throw error
    }
  })
}

/**
 * Carries the load of a body to its end, and makes the result and the reports. Throws JournalLost
 * when the journal of a run that is continued was lost meanwhile.
 */
export async function carried(
  body: Body,
  order: Omit<RunOrder, 'scenario' | 'plan' | 'changes'>,
  folder: RunFolder | null,
): Promise<CarriedRun> {
  const { options, reports = false, onLine, onOver } = order
  const { target, runId } = body
  const telemetry = await openTelemetry({ target, runId, version: version() }, options)
  const sink = {
    telemetry,
    claims: reports && body.hasLedger,
    executions: reports && folder !== null && body.continues !== true,
    onTrouble: options.onTrouble,
    onLine,
  }
  return withSinks(folder, journalOf(body, options), [sink], async ([lineSink]) => {
    try {
      const ledger = await body.carry(lineSink!)
      for (const lost of (await telemetry?.close()) ?? []) lineSink!.keep(noteLine(lost))
      const judged = reports ? ledger : null
      const { document, executions } = await mergedResult(lineSink!, body, options, judged)
      const path = folder?.path ?? null
      // A page has no reports to write, and not the module that would.
      const ended =
        reports && path !== null
          ? await tryReports(path, document, { ledger, executions })
          : { document, unwritten: null }
      return { ...ended, folder: path, abandoned: abandonedOf(lineSink!, body), ledger }
    } finally {
      await onOver?.()
      await telemetry?.close()
    }
  })
}

export function journalOf({ continues = false }: Body, options: RunOptions): JournalManner {
  if (continues) return 'continued'
  return engineOf(options).kind === 'virtual' ? 'batched' : 'anew'
}

export async function mergedResult(
  lineSink: LineSink,
  body: Body,
  options: RunOptions,
  ledger: Ledger | null,
  part?: string,
): Promise<Merged> {
  const { recorder, unreadableLines, journalPath } = lineSink
  const context = {
    command: options.command ?? null,
    node: versions.node,
    set: shownChanges(options.set),
    machine: machineOf(options),
    proxy: proxyWords(options),
    costPerKickoff: options.costPerKickoff ?? null,
    ledger,
  }
  if (body.continues !== true || journalPath === null) {
    const document = recorder.document({ ...context, unreadableLines })
    return { document, executions: recorder.executions(ledger) }
  }
  const { mergedRuns } = await import('./merge.ts')
  const ofPart = part === undefined ? {} : { part }
  return mergedRuns([journalPath], { ...context, ...ofPart }).catch((error: unknown) => {
    const running = abandonedOf(lineSink, body).map(({ kickoffId }) => kickoffId)
    throw new JournalLost(dirname(journalPath), error, running)
  })
}

export function abandonedOf({ flights }: LineSink, { ownCrew }: Body): Abandoned[] {
  return ownCrew ? [] : flights.abandoned()
}

/** It belongs to the run, rather than to an instance or a moment. */
function noteLine(note: TelemetryNote): IncidentLine {
  const incident = { kind: 'note', note } as const
  return { type: 'incident', instance: 0, atMicros: 0, index: null, incident }
}

/** `linux x64, 4 cores, AMD EPYC 7763`; null in virtual time, which depends on no machine. */
function machineOf(options: RunOptions): string | null {
  if (engineOf(options).kind === 'virtual') return null
  // Some systems leave the model empty.
  const cpu = cpus()[0]?.model ?? ''
  const model = cpu.trim().replaceAll(/\s+/g, ' ')
  const kind = `${platform()} ${arch()}, ${plural(availableParallelism(), 'core')}`
  return model === '' ? kind : `${kind}, ${model}`
}
