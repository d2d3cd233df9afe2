/** One run of the scenario within a recovery test, with or without the trigger. */
import { env as processEnv, versions } from 'node:process'
import type { Reason } from '../../analysis/document.ts'
import type { Disturbance } from '../../analysis/recovery-time.ts'
import type { RunSeen, Visit } from '../../analysis/recovery-trial.ts'
import { startsOf, visitOf } from '../../analysis/recovery-trial.ts'
import type { Micros } from '../../units.ts'
import type { Abandoned } from '../bodies/index.ts'
import { bodyOf } from '../bodies/index.ts'
import { Desk } from '../desk.ts'
import type { RunControl, RunOptions } from '../options.ts'
import { CommandRun } from './command-trigger.ts'
import type { Design } from './plan.ts'
import { heldArrivals } from './plan.ts'
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
  onStart: (control: RunControl) => void
}

export async function runTrial(design: Design, settings: TrialSettings): Promise<TrialRun> {
  const { trigger } = design
  const span = spanOf(design, settings.sizeMicros)
  const { disturbed } = settings
  const factor = disturbed && trigger.kind === 'spike' ? trigger.factor : 1
  const arrivals = heldArrivals(design, settings.sizeMicros, factor)
  const plan = { ...design.plan, arrivals, seed: settings.seed }
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
  const openBody = await bodyOf(options)
  const body = await openBody(plan, options, null)
  const visits: Visit[] = []
  const desk = new Desk(null, {
    claims: false,
    repeatable: true,
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
