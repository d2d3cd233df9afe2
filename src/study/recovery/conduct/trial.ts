/** One run of the scenario within a recovery test, with or without the trigger. */
import { env as processEnv, versions } from 'node:process'
import type { Reason } from '../../../analysis/document.ts'
import type { Disturbance } from '../../../analysis/ledger/recovery-time.ts'
import type { RunSeen, Visit } from '../analyse/trial.ts'
import { startsOf, visitOf } from '../analyse/trial.ts'
import type { Micros } from '../../../base/units.ts'
import type { Abandoned } from '../../../run/bodies/body.ts'
import { chosenEngine } from '../../../run/bodies/index.ts'
import { holdFolder } from '../../../run/folder/lock.ts'
import type { RunFolder } from '../../../run/folder/folder.ts'
import { Desk } from '../../../run/lines.ts'
import type { RunControl, RunOptions } from '../../../run/options.ts'
import { writeRecipe } from '../../../run/plan/recipe.ts'
import { CommandRun } from './command-trigger.ts'
import type { Design } from './plan.ts'
import { NO_EARLY_END, heldArrivals } from './plan.ts'
import { faultYaml } from './trigger.ts'

export interface TrialRun {
  seen: RunSeen
  span: Disturbance
  /** Why the measurement cannot be trusted. */
  invalid: readonly Reason[]
  /** What went wrong with the user's commands. */
  complaints: readonly string[]
  abandoned: readonly Abandoned[]
}

export interface TrialSettings {
  seed: number
  sizeMicros: Micros
  disturbed: boolean
  crewSpeed: number
  /** Where its journal goes, that a kill may not forget what was paid for; null keeps none. */
  folder: RunFolder | null
  onStart: (control: RunControl) => void
}

export async function runTrial(design: Design, settings: TrialSettings): Promise<TrialRun> {
  const { folder } = settings
  if (folder === null) return carryTrial(design, settings)
  const hold = await holdFolder(folder.path)
  try {
    return await carryTrial(design, settings)
  } finally {
    await hold.release()
  }
}

async function carryTrial(design: Design, settings: TrialSettings): Promise<TrialRun> {
  const { trigger } = design
  const span = spanOf(design, settings.sizeMicros)
  const { disturbed, folder, seed } = settings
  const factor = disturbed && trigger.kind === 'spike' ? trigger.factor : 1
  const arrivals = heldArrivals(design, settings.sizeMicros, factor)
  const plan = { ...design.plan, arrivals, seed }
  const times = { fromMicros: span.fromMicros, forMicros: settings.sizeMicros }
  let command: CommandRun | null = null
  const options: RunOptions = {
    ...design.options,
    ...(disturbed && trigger.kind === 'fault'
      ? { faults: faultYaml(trigger, { ...times, crewSpeed: settings.crewSpeed }) }
      : {}),
    onStart: (control) => {
      settings.onStart(control)
      if (!disturbed || trigger.kind !== 'command') return
      command = new CommandRun(trigger, times, options.env ?? processEnv)
    },
  }
  const overCommand = async (): Promise<readonly string[]> => command?.over() ?? []
  if (folder !== null) {
    const amended = { ...NO_EARLY_END, arrivals }
    await writeRecipe(folder.path, design.scenario, { ...options, seed }, amended)
  }
  const body = await chosenEngine(options).open(plan, options, null)
  const visits: Visit[] = []
  const desk = new Desk(folder, {
    claims: false,
    repeatable: folder === null,
    onTrouble: options.onTrouble,
    onLine: (line) => {
      if (line.type === 'ended') visits.push(visitOf(line.record, plan.deadlineMicros))
    },
  })
  try {
    const { ledger, abandoned } = await body.carry(desk)
    const complaints = await overCommand()
    const { verdict } = desk.recorder.document({
      profile: body.profile,
      command: null,
      node: versions.node,
      unreadableLines: desk.unreadableLines,
      ledger: null,
    })
    const invalid = verdict.outcome === 'invalid' ? verdict.reasons : []
    const starts = ledger === null ? null : startsOf(ledger)
    return { seen: { visits, starts }, span, invalid, complaints, abandoned }
  } finally {
    await overCommand()
    desk.close()
    await body.close()
  }
}

/** Of the time before the trigger: so much at most is left out, for executions wanted then may be touched by it. */
const TOUCHED_SHARE = 0.5

/** On the run's clock. */
function spanOf(design: Design, sizeMicros: Micros): Disturbance {
  const { warmUpMicros, beforeMicros, observeMicros } = design
  const fromMicros = warmUpMicros + beforeMicros
  const toMicros = fromMicros + sizeMicros
  const touchedMicros = Math.min(design.plan.deadlineMicros, TOUCHED_SHARE * beforeMicros)
  return {
    steadyFromMicros: warmUpMicros,
    steadyToMicros: fromMicros - touchedMicros,
    fromMicros,
    toMicros,
    untilMicros: toMicros + observeMicros,
  }
}
