/** One run of the scenario within a recovery test, with or without the trigger. */
import { env as processEnv } from 'node:process'
import type { Reason } from '../../../result/document.ts'
import type { Disturbance } from '../../../result/ledger/recovery-time.ts'
import type { Micros } from '../../../base/units.ts'
import type { RunOptions } from '../../../run/options.ts'
import type { Trial } from '../../frame/trial/trial.ts'
import type { RunSeen, Visit } from '../analyse/trial.ts'
import { startsOf, visitOf } from '../analyse/trial.ts'
import { CommandRun } from './command-trigger.ts'
import type { Design } from '../plan/plan.ts'
import { heldArrivals, NO_EARLY_END } from '../plan/plan.ts'
import { faultYaml } from '../plan/trigger.ts'

export interface RunSettings {
  seed: number
  sizeMicros: Micros
  disturbed: boolean
}

interface RunOfTest {
  seen: RunSeen
  span: Disturbance
}

/**
 * Null when the test was stopped, or its target lost. `crewSpeed`: the factor by which the crew
 * divides the times of its faults.
 */
export async function runOfTest(
  trial: Trial,
  design: Design,
  settings: RunSettings,
  crewSpeed: number,
): Promise<RunOfTest | null> {
  const { scenario, plan, trigger } = design
  const { seed, sizeMicros, disturbed } = settings
  const span = spanOf(design, sizeMicros)
  const times = { fromMicros: span.fromMicros, forMicros: sizeMicros }
  const factor = disturbed && trigger.kind === 'spike' ? trigger.factor : 1
  let command: CommandRun | null = null
  const options: RunOptions = {
    ...design.options,
    ...(disturbed && trigger.kind === 'fault'
      ? { faults: faultYaml(trigger, { ...times, crewSpeed }) }
      : {}),
    onStart: () => {
      if (!disturbed || trigger.kind !== 'command') return
      command = new CommandRun(trigger, times, design.options.env ?? processEnv)
    },
  }
  const visits: Visit[] = []
  const end = await trial.run({
    scenario,
    plan,
    changes: { ...NO_EARLY_END, arrivals: heldArrivals(design, sizeMicros, factor), seed },
    options,
    onLine: (line) => {
      if (line.type === 'ended') visits.push(visitOf(line.record, plan.deadlineMicros))
    },
    onOver: async () => trial.distrust(((await command?.over()) ?? []).map(untriggered)),
  })
  if (end === null || end.isCut) return null
  const starts = end.ledger === null ? null : startsOf(end.ledger)
  return { seen: { visits, starts }, span }
}

/** When the user's command failed, it is unknown what the crew recovered from. */
function untriggered(message: string): Reason {
  return { code: 'trigger', message, remedy: 'fix the command, and try again' }
}

/**
 * The maximum share of the time before the trigger that is left out, because executions that arrive
 * then may be affected by it.
 */
const TOUCHED_SHARE = 0.5

/** The times of the disturbance on the run's clock. */
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
