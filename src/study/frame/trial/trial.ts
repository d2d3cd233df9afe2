/** One trial of a study: the plan of a scenario, with changes, carried at a place to its end. */
import { versions } from 'node:process'
import type { ResultDocument } from '../../../analysis/document.ts'
import type { Ledger } from '../../../analysis/ledger/reconcile.ts'
import type { JournalLine } from '../../../execution/record/journal-lines.ts'
import type { Abandoned, Body } from '../../../run/bodies/body.ts'
import { chosenEngine } from '../../../run/bodies/index.ts'
import type { RunFolder } from '../../../run/folder/folder.ts'
import { lockFolder } from '../../../run/folder/lock.ts'
import { LineSink } from '../../../run/line-sink.ts'
import type { RunOptions } from '../../../run/options.ts'
import { writeRecipe } from '../../../run/plan/recipe.ts'
import { requestsOfPreflight } from '../../../run/target/preflight.ts'
import type { Plan } from '../../../scenario/plan.ts'
import type { Spent } from './spending.ts'
import { Spending } from './spending.ts'

export interface Trial {
  /** As it was named. */
  scenario: string
  /** What the scenario makes under `options`. */
  plan: Plan
  /** What stands in the place of the plan's own: arrivals, seed, budget, ... */
  changes: Partial<Plan>
  /**
   * Where it goes and what carries it: virtual time, a fake crew, a target; with the faults of this
   * trial.
   */
  options: RunOptions
  /** Sees each line of the journal. */
  onLine?: (line: JournalLine) => void
  /** The load is over, however it ended, and the place still open. */
  onOver?: () => Promise<void>
}

export interface TrialEnd {
  /** Without the ledger. */
  result: ResultDocument
  /** Null where there is none, or where it could not be read any more. */
  ledger: Ledger | null
  /** Executions that may go on costing money. */
  abandoned: readonly Abandoned[]
  spent: Spent
}

/**
 * `folder` takes its journal, that a kill may not forget what was paid for, and what `crewload
 * resume` needs to follow that to its end; null keeps none. Throws UserError and TargetError before
 * the first kickoff alone.
 */
export async function runTrial(trial: Trial, folder: RunFolder | null): Promise<TrialEnd> {
  const hold = folder === null ? null : await lockFolder(folder.path)
  try {
    const { scenario, changes, options } = trial
    const plan = { ...trial.plan, ...changes }
    if (folder !== null) {
      await writeRecipe(folder.path, scenario, { ...options, seed: plan.seed }, changes)
    }
    const body = await chosenEngine(options).open(plan, options, null)
    try {
      return await carried(body, trial, folder)
    } finally {
      await body.close()
    }
  } finally {
    await hold?.release()
  }
}

async function carried(
  body: Body,
  { options, onLine, onOver }: Trial,
  folder: RunFolder | null,
): Promise<TrialEnd> {
  const spending = new Spending(requestsOfPreflight({ tokens: options.tokens ?? [] }))
  const lineSink = new LineSink(folder, {
    claims: false,
    repeatable: folder === null,
    onTrouble: options.onTrouble,
    onLine: (line) => {
      spending.saw(line)
      onLine?.(line)
    },
  })
  try {
    const { ledger, abandoned } = await body.carry(lineSink)
    const result = lineSink.recorder.document({
      profile: body.profile,
      command: null,
      node: versions.node,
      unreadableLines: lineSink.unreadableLines,
      ledger: null,
    })
    // A fake crew that was started for the trial ends with it: nothing of it goes on.
    const left = options.profile === undefined ? abandoned : []
    return { result, ledger, abandoned: left, spent: spending.spent }
  } finally {
    await onOver?.()
    lineSink.close()
  }
}
