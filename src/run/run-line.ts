/** The first line of an instance's journal. */
import type { RunLine } from '../execution/record/journal-lines.ts'
import { describePlan, planHash } from '../scenario/plan-data.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Micros } from '../base/units.ts'
import { version } from './environment/version.ts'

export interface Origin {
  runId: string
  engine: RunLine['engine']
  /** The simulated network. Default null: the network is real. */
  network?: string
  /** This is instance i of n, counted from 0. */
  instance: number
  instances: number
  /** Base URL; in virtual time, a description. */
  target: string
  /** Whether a fake crew was started for the run. */
  ownCrew: boolean
  /** Wall clock of the run's zero, in Unix milliseconds with fraction. */
  anchorUnixMs: number
  /** Default 0, for the process that holds the mapping of the ledger's clock. */
  anchorErrorMicros?: Micros
}

export function runLine(plan: Plan, origin: Origin): RunLine {
  const document = describePlan(plan)
  return {
    type: 'run',
    schema: 'crewload/journal/1',
    crewload: version(),
    runId: origin.runId,
    scenario: plan.name,
    instance: origin.instance,
    instances: origin.instances,
    engine: origin.engine,
    network: origin.network ?? null,
    target: origin.target.replace(/\/$/, ''),
    ownCrew: origin.ownCrew,
    anchorUnixMs: origin.anchorUnixMs,
    anchorErrorMicros: origin.anchorErrorMicros ?? 0,
    seed: plan.seed,
    speed: plan.speed,
    planHash: planHash(document),
    plan: document,
  }
}
