/** One run, wired: scenario, plan, place, preflight, host, engine, journal, recorder, ledger, reports. */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { env as processEnv, versions } from 'node:process'
import type { ResultDocument } from '../analysis/document.ts'
import type { Ledger } from '../analysis/reconcile.ts'
import type { JournalLine, RunLine } from '../execution/journal.ts'
import type { NodeHost } from '../host/node/index.ts'
import { createNodeHost } from '../host/node/index.ts'
import { UserError } from '../mistakes.ts'
import type { Journal, Recorder, RunFolder } from '../result/index.ts'
import { createRecorder, createRunFolder, openJournal } from '../result/index.ts'
import type { Scenario } from '../scenario/define.ts'
import { describePlan, planHash } from '../scenario/describe.ts'
import { planNotes } from '../scenario/notes.ts'
import type { Plan } from '../scenario/plan.ts'
import { MICROS_PER_MS } from '../units.ts'
import { linkClocks } from './clock-link.ts'
import { drive } from './drive.ts'
import { earlyAbort } from './early-abort.ts'
import { Declined } from './errors.ts'
import { planFacts } from './facts.ts'
import { Meters } from './meters.ts'
import type { RunOptions } from './options.ts'
import type { Place } from './place.ts'
import { openPlace, placeWords } from './place.ts'
import { demandInputs, preflight } from './preflight.ts'
import { preparePlan } from './prepare.ts'
import { writeReports } from './reports.ts'
import { version } from './version.ts'

export interface RunOutcome {
  document: ResultDocument
  /** Where everything was written; null when nothing was. */
  folder: string | null
  /** Executions that were still running on the target when the run gave them up: each may go on costing money. */
  abandoned: readonly Abandoned[]
  /** Why the reports could not be written whole (a full disk, a folder that is gone); null when they were. */
  unwritten: string | null
}

export interface Abandoned {
  index: number
  kickoffId: string
}

/**
 * Runs a scenario (a shipped name, a file, or what `defineScenario` gives) to its end, and judges it. Throws UserError for the user's
 * mistakes, all at once and before anything is sent, and TargetError when the target cannot be reached or refuses us. A target that
 * misbehaves later is data.
 */
export async function run(
  scenario: string | Scenario,
  options: RunOptions = {},
): Promise<RunOutcome> {
  const plan = await preparePlan(scenario, options)
  for (const note of planNotes(plan)) options.onNote?.(note)
  await confirmed(plan, options)
  const { out = 'reports' } = options
  const folder = out === false ? null : await createRunFolder(out, plan.name, new Date())
  try {
    const place = await openPlace(options, plan, options.env ?? processEnv)
    try {
      return await runAt(place, plan, folder, options)
    } finally {
      await place.close()
    }
  } catch (error) {
    // Nothing was measured: an empty folder would only be taken for a run.
    if (folder !== null && error instanceof UserError) await rm(folder.path, { recursive: true })
    throw error
  }
}

async function confirmed(plan: Plan, options: RunOptions): Promise<void> {
  const facts = planFacts(plan, {
    ...placeWords(options),
    engine: 'node',
    costPerKickoff: options.costPerKickoff ?? null,
    maxCost: options.maxCost ?? null,
  })
  if (options.confirm === undefined || (await options.confirm(facts))) return
  throw new Declined('was not confirmed; nothing was sent')
}

async function runAt(
  place: Place,
  plan: Plan,
  folder: RunFolder | null,
  options: RunOptions,
): Promise<RunOutcome> {
  const runId = randomBytes(4).toString('hex')
  const desk = new Desk(folder, place.fake !== null)
  const host = await createHost(place, plan, desk, options)
  try {
    const { tokens, target } = place
    const { inputs, notes } = await preflight(host, plan, target, runId, tokens.length)
    for (const note of notes) options.onNote?.(note)
    if (inputs !== null) demandInputs(plan, inputs)
    const { ledger, abandoned } = await measured(place, plan, host, desk, runId, options)
    const document = desk.recorder.document({
      profile: place.profile,
      command: options.command ?? null,
      node: versions.node,
      unreadableLines: 0,
      ledger,
    })
    const unwritten = folder === null ? null : await tryReports(folder.path, document, ledger)
    return { document, folder: folder?.path ?? null, abandoned, unwritten }
  } finally {
    await host.close()
    desk.close()
  }
}

/** A full disk must not take the verdict with it: what was said of the failure, or null. */
async function tryReports(
  folder: string,
  document: ResultDocument,
  ledger: Ledger | null,
): Promise<string | null> {
  try {
    await writeReports(folder, document, ledger)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Setting the engine up and writing the first line take a moment: the clock's zero lies behind them, so that the first arrivals are in time. */
const LEAD_MICROS = 50 * MICROS_PER_MS

/** From the zero of the run's clock to the ledger brought home. */
async function measured(
  place: Place,
  plan: Plan,
  host: NodeHost,
  desk: Desk,
  runId: string,
  options: RunOptions,
): Promise<{ ledger: Ledger | null; abandoned: Abandoned[] }> {
  const clocks = place.fake === null ? null : await linkClocks(place.fake)
  const abandoned: Abandoned[] = []
  await drive(plan, host, {
    runId,
    target: place.target.origin,
    profile: place.profile,
    meters: desk.meters,
    begin: () => {
      host.startClock(LEAD_MICROS)
      clocks?.started(host)
      host.emit(runLine(place, plan, host, runId))
    },
    died: place.died?.then(() => 'the fake crew of this run ended by itself') ?? null,
    signal: options.signal,
    onStart: options.onStart,
    onProgress: options.onProgress,
    onEnded: ({ outcome, kickoffId, index }) => {
      if (outcome === 'aborted' && kickoffId !== null) abandoned.push({ index, kickoffId })
    },
    abortReason: earlyAbort(plan, desk.recorder),
  })
  const ledger = clocks === null ? null : await clocks.finish()
  return { ledger, abandoned }
}

/** Everything that a line of the journal reaches. */
class Desk {
  readonly recorder: Recorder
  readonly meters = new Meters()
  readonly #journal: Journal | null
  #journalErrors = 0

  /** `claims`: there is a ledger to hold the executions against. */
  constructor(folder: RunFolder | null, claims: boolean) {
    this.recorder = createRecorder({ claims })
    this.#journal = folder === null ? null : openJournal(folder.journal)
  }

  /** The journal first: what is recorded must not be lost by a kill right after. Throws when the journal could not take the line. */
  keep(line: JournalLine): void {
    this.#journal?.write(line)
    this.recorder.record(line)
    this.meters.saw(line)
    const errors = this.#journal?.errors
    if (errors === undefined || errors.count === this.#journalErrors) return
    this.#journalErrors = errors.count
    throw new Error(`the journal cannot be written: ${errors.first}`)
  }

  close(): void {
    this.#journal?.close()
    this.recorder.destroy()
    this.meters.close()
  }
}

async function createHost(
  place: Place,
  plan: Plan,
  desk: Desk,
  options: RunOptions,
): Promise<NodeHost> {
  return createNodeHost({
    target: place.target,
    tokens: place.tokens,
    http: plan.http,
    emit: (line) => desk.keep(line),
    budget: plan.budget,
    userAgent: `crewload/${version()}`,
    proxies: options.env ?? processEnv,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    onAnswer: (operation, answer) => desk.meters.answered(operation, answer),
  })
}

function runLine(place: Place, plan: Plan, host: NodeHost, runId: string): RunLine {
  const document = describePlan(plan)
  return {
    type: 'run',
    schema: 'crewload/journal/1',
    crewload: version(),
    runId,
    scenario: plan.name,
    instance: 0,
    instances: 1,
    engine: 'node',
    target: place.target.href.replace(/\/$/, ''),
    anchorUnixMs: host.anchorUnixMs,
    seed: plan.seed,
    speed: plan.speed,
    planHash: planHash(document),
    plan: document,
  }
}
