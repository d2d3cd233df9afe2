/**
 * The options of an agreement, and its plan: which engines carry the scenario, and what each needs.
 */
import { env } from 'node:process'
import { assert } from '../../base/assert.ts'
import { UserError } from '../../base/mistakes.ts'
import type { EngineChoice } from '../../run/engines.ts'
import { findK6 } from '../../run/k6/binary.ts'
import type { EngineName, RunOptions } from '../../run/options.ts'
import { planOnly } from '../../run/plan/plan-only.ts'
import { preparePlan } from '../../run/plan/prepare.ts'
import { openSimulation } from '../../run/simulation/simulation.ts'
import type { Plan } from '../../scenario/plan.ts'
import { placeWords } from '../../run/target/chosen-place.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import { listed } from '../frame/words.ts'
import type { AgreementDocument } from './document.ts'
import { withoutHooks } from '../frame/conduct/run-options.ts'
import type { AgreementPlan } from './study.ts'

type Shared = Omit<RunOptions, keyof StudyOptions<AgreementPlan> | 'engine'>

export interface AgreementOptions extends Shared, StudyOptions<AgreementPlan> {
  /** The name of a shipped scenario, or a file. */
  scenario: string
  engines: readonly EngineChoice[]
  /** The folder in which the agreement's folder is created. Default `reports`. */
  out?: string
  /** The maximum relative difference of a quantile from the reference: a share. Default 0.05. */
  agreeWithin?: number
}

export interface AgreementDesign {
  options: AgreementOptions
  /** The plan, which is the same for every engine. */
  plan: Plan
  /** The plan as it is shown. */
  shown: AgreementPlan
  /** The target as the reports name it. */
  place: Pick<AgreementDocument, 'target' | 'profile' | 'scenario' | 'seed' | 'speed'>
}

/** Throws UserError with every mistake, before anything is sent. */
export async function designAgreement(options: AgreementOptions): Promise<AgreementDesign> {
  demandProfile(options)
  const plan = await foresee(options)
  const shown = await planAgreement(options)
  const { name: scenario, seed, speed } = plan
  const place = { ...placeWords({ profile: options.profile ?? '' }), scenario, seed, speed }
  return { options, plan, shown, place }
}

/** Makes the plan before anything is sent. Throws UserError with every mistake. */
export async function planAgreement(options: AgreementOptions): Promise<AgreementPlan> {
  const { scenario, engines } = options
  const each = engines.map((choice) => optionsUnder(choice, options))
  const [first] = await Promise.all(each.map(async (own) => planOnly(scenario, own)))
  const { facts, plan, notes } = first!
  const engine = `${listed(engines.map(({ name }) => name))}, one after another`
  return {
    facts: { ...facts, engine },
    plan,
    notes: [
      ...notes,
      'kickoffs, requests and duration are per engine; the budget covers all engines together',
    ],
  }
}

/**
 * Checks every engine first: an hour of the first one would be lost if the second one, or its
 * network, turned out to be missing. Throws their errors.
 */
async function foresee(options: AgreementOptions): Promise<Plan> {
  const { scenario, engines } = options
  const each = engines.map((choice) => optionsUnder(choice, options))
  const uses = (kind: EngineName): RunOptions | undefined =>
    each[engines.findIndex(({ engine }) => engine.kind === kind)]
  if (uses('k6') !== undefined) await findK6(options.env ?? env)
  const [plan] = await Promise.all(each.map(async (own) => preparePlan(scenario, own)))
  assert(plan !== undefined, 'an agreement needs an engine')
  const simulated = uses('virtual')
  if (simulated !== undefined) await openSimulation(plan, simulated)
  return plan
}

/**
 * A crew that is already running has a history: the second run would meet other executions than the
 * first.
 */
export function demandProfile({ target }: Pick<RunOptions, 'target'>): void {
  if (target === undefined) return
  const problem =
    'several engines are compared on fake crews with the same seed: use --profile, ' +
    'or name one engine'
  throw new UserError({ source: '--target', path: '', problem })
}

/** The options for the run of this engine. */
export function optionsUnder({ engine }: EngineChoice, options: AgreementOptions): RunOptions {
  return { ...withoutHooks(options), engine }
}
