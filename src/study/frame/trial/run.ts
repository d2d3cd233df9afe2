/**
 * One run within a trial: the plan of a scenario, with changes, carried out at a place to its end.
 */
import { versions } from 'node:process'
import type { ResultDocument } from '../../../result/document.ts'
import type { Ledger } from '../../../result/ledger/reconcile.ts'
import type { JournalLine } from '../../../execution/record/journal-lines.ts'
import type { Abandoned, Body } from '../../../run/body.ts'
import { chosenEngine } from '../../../run/bodies/index.ts'
import type { RunFolder } from '../../../run/folder/folder.ts'
import { lockFolder } from '../../../run/folder/lock.ts'
import { LineSink } from '../../../run/line-sink.ts'
import type { RunOptions } from '../../../run/options.ts'
import { engineOf } from '../../../run/options.ts'
import { writeRecipe } from '../../../run/plan/recipe.ts'
import { tryReports } from '../../../run/reports.ts'
import { requestsOfPreflight } from '../../../run/target/preflight.ts'
import type { Plan } from '../../../scenario/plan.ts'
import type { Spent } from './budget.ts'
import { Spending } from './spending.ts'
import { machineOf } from '../../../run/environment/machine.ts'

export interface TrialRun {
  /** The scenario as it was named. */
  scenario: string
  /** The plan that the scenario makes under `options`. */
  plan: Plan
  /** The values that replace parts of the plan: arrivals, seed, polling, ... */
  changes: Partial<Plan>
  /**
   * The place and the engine: virtual time, a fake crew, a target; with the faults of this trial.
   */
  options: RunOptions
  /** The name of its folder, beside the study's document. Default: `run-1`, `run-2`, ... */
  folder?: string
  /** Whether its folder gets all files of an ordinary run. Default: only its journal. */
  reports?: boolean
  /** Receives each line of the journal. */
  onLine?: (line: JournalLine) => void
  /** Called when the load is over, however it ended, while the place is still open. */
  onOver?: () => Promise<void>
}

export interface CarriedRun {
  /** Compared with the ledger when there are reports. */
  result: ResultDocument
  /** Null when there is none, or when it could no longer be read. */
  ledger: Ledger | null
  /** Executions that may continue to cost money. */
  abandoned: readonly Abandoned[]
  spent: Spent
  /** Whether its budget of kickoffs or requests refused a request. */
  budgetSpent: boolean
  /** Why its reports could not be written completely; null when they were, or none were wanted. */
  unwritten: string | null
}

/**
 * `folder` receives the journal, so that a kill cannot lose what was paid for, and what `crewload
 * resume` needs to follow it to its end; null writes nothing. Throws UserError and TargetError only
 * before the first kickoff.
 */
export async function carryRun(run: TrialRun, folder: RunFolder | null): Promise<CarriedRun> {
  const hold = folder === null ? null : await lockFolder(folder.path)
  try {
    const { scenario, changes, options } = run
    const plan = { ...run.plan, ...changes }
    if (folder !== null) {
      await writeRecipe(folder.path, scenario, { ...options, seed: plan.seed }, changes)
    }
    const body = await chosenEngine(options).open(plan, options, scenario)
    try {
      return await carried(body, run, folder)
    } finally {
      await body.close()
    }
  } finally {
    await hold?.release()
  }
}

async function carried(body: Body, run: TrialRun, folder: RunFolder | null): Promise<CarriedRun> {
  const { options, reports = false, onLine, onOver } = run
  const spending = new Spending(requestsOfPreflight({ tokens: options.tokens ?? [] }))
  let budgetSpent = false
  const lineSink = new LineSink(folder, {
    claims: reports && body.hasLedger,
    repeatable: folder === null || engineOf(options).kind === 'virtual',
    onTrouble: options.onTrouble,
    onLine: (line) => {
      spending.saw(line)
      budgetSpent ||= isBudgetSpent(line)
      onLine?.(line)
    },
  })
  try {
    const { ledger, abandoned } = await body.carry(lineSink)
    const result = lineSink.recorder.document({
      profile: body.profile,
      command: reports ? (options.command ?? null) : null,
      node: versions.node,
      machine: machineOf(options),
      unreadableLines: lineSink.unreadableLines,
      ledger: reports ? ledger : null,
    })
    const isReported = reports && folder !== null
    const unwritten = isReported ? (await tryReports(folder.path, result, ledger)).unwritten : null
    // A fake crew that was started for the run ends with it, so nothing is left running on it.
    const left = options.profile === undefined ? abandoned : []
    return { result, ledger, abandoned: left, spent: spending.spent, budgetSpent, unwritten }
  } finally {
    await onOver?.()
    lineSink.close()
  }
}

/** Of kickoffs or requests, which may be shared with other trials; not of time. */
function isBudgetSpent(line: JournalLine): boolean {
  if (line.type !== 'finding' || line.finding.kind !== 'note') return false
  const { note } = line.finding
  return note.code === 'budget-spent' && (note.budget === 'kickoff' || note.budget === 'request')
}
