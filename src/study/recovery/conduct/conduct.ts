/** Conducts a recovery test: a trial for each seed, the bisection, and the document. */
import { recoveryDocument } from '../analyse/analyse.ts'
import { isLoopback } from '../../../base/loopback.ts'
import { onePlace } from '../../../run/target/chosen-place.ts'
import { z } from 'zod'
import type { Conducting, Session } from '../../frame/conduct/conducting.ts'
import { fingerprintOf } from '../../frame/conduct/conducting.ts'
import type { TrialTerms, Trials } from '../../frame/trial/trials.ts'
import type { RecoveryDocument, RecoveryPlan, RecoveryTrial } from '../document.ts'
import { courseSchema, trialSchema } from '../document.ts'
import type { RecoveryOptions } from '../options.ts'
import { RECOVERY } from '../options.ts'
import type { RecoveryDesign } from '../plan/plan.ts'
import { NO_EARLY_END, demandSingleTrial, designRecovery, heldArrivals } from '../plan/plan.ts'
import { recovery } from '../study.ts'
import { env as processEnv } from 'node:process'
import { loadProfile } from '../../../../fake-crew/profiles.ts'
import { UserError } from '../../../base/mistakes.ts'
import { adminTokenIn, findFakeControl } from '../../../run/fake/control.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { Trial } from '../../frame/trial/trial.ts'
import { RunReader } from '../../frame/executions/reader.ts'
import { sizeLine, trialLine } from '../report/wording.ts'
import { courseOf, measureTrial, visitsSeenIn } from '../analyse/trial.ts'
import type { SizeResult } from '../analyse/tipping.ts'
import { BISECTION, nextSize } from '../analyse/tipping.ts'
import type { RunSeen } from '../analyse/trial.ts'
import { plural } from '../../../base/numbers.ts'
import type { Disturbance } from '../../../result/ledger/recovery-time.ts'
import type { RunOptions } from '../../../run/options.ts'
import { CommandRun } from './command-trigger.ts'
import { faultYaml } from '../plan/trigger.ts'

export const conducting: Conducting<
  RecoveryOptions,
  RecoveryDesign,
  RecoveryPlan,
  RecoveryDocument
> = {
  study: recovery,
  table: RECOVERY,
  design: designRecovery,
  plan: ({ facts }) => facts,
  name: ({ plan }) => `${plan.name}-recovery`,
  fingerprint: ({ plan, options }) => fingerprintOf(plan, options.profile),
  // There is one trial at a deployment, so nothing could be resumed.
  isResumable: ({ options }) => {
    const place = onePlace(options)
    return place.kind === 'profile' || isLoopback(place.target.hostname)
  },
  terms: termsOf,
  measure: recoveryDocumentOf,
}

function termsOf({ facts }: RecoveryDesign): TrialTerms {
  return {
    simulated: facts.engine === 'virtual',
    budget: facts.budget,
    planned: facts.bisect ? null : facts.seeds.length,
    whenLost:
      'restore the target, with --undo-command if a command disturbed it; crewload resume runs ' +
      'the missing trials',
  }
}

async function recoveryDocumentOf({
  design,
  options,
  trials,
  facts,
}: Session<RecoveryOptions, RecoveryDesign>): Promise<RecoveryDocument> {
  const { facts: plan, trigger } = design
  await demandSingleTrial(options)
  const crewSpeed = trigger.kind === 'fault' ? await crewSpeedOf(design) : 1
  const { tell = () => {} } = options
  const testing = { trials, design, crewSpeed, tell }
  const seeds = await eachSeed(testing)
  const found = seeds.map(({ trial }) => trial)
  const sizes = plan.bisect ? await bisected(testing, found) : null
  return recoveryDocument({
    ...facts(),
    plan,
    runs: trials.runs,
    trials: found,
    courses: seeds.map(({ course }) => course),
    sizes,
    invalid: trials.invalid,
  })
}

/**
 * The factor by which the crew divides the times of its faults. Throws UserError when there is no
 * fake crew.
 */
async function crewSpeedOf({ plan, options }: RecoveryDesign): Promise<number> {
  const place = onePlace(options)
  if (place.kind === 'profile') return plan.speed * loadProfile(place.profile).speed
  const fake = await findFakeControl(place.target, adminTokenIn(options.env ?? processEnv))
  if (fake !== null) return fake.speed
  const problem =
    'faults need a fake crew on this machine, and this target is not one: disturb ' +
    'it with --trigger-command'
  throw new UserError({ source: '--trigger', problem })
}

/**
 * Service is counted in this many steps per mean time between two arrivals; a step is at least a
 * millisecond.
 */
const STEPS_BETWEEN = 4

const seedMeasurement = z.object({ trial: trialSchema, course: courseSchema })
type SeedMeasurement = z.infer<typeof seedMeasurement>

interface Testing {
  trials: Trials
  design: RecoveryDesign
  /** The factor by which the crew divides the times of its faults. */
  crewSpeed: number
  tell: (line: string) => void
}

/** Trials at the requested size. After a stop, the seeds that are done. */
async function eachSeed(testing: Testing): Promise<SeedMeasurement[]> {
  const { trials, design, tell } = testing
  const found: SeedMeasurement[] = []
  for (const seed of design.facts.seeds) {
    const key = `seed ${seed}`
    const isNew = !trials.knows(key)
    const measurement = await trials.measured(key, seedMeasurement, async (trial) =>
      measuredSeed(trial, testing, seed),
    )
    if (measurement === null) return found
    found.push(measurement)
    const back = found.filter(({ trial: { outcome } }) => outcome === 'recovers').length
    trials.stands({ soFar: `${back} of ${plural(found.length, 'trial')} recovered` })
    if (isNew) tell(trialLine(measurement.trial))
  }
  return found
}

async function measuredSeed(
  open: Trial,
  testing: Testing,
  seed: number,
): Promise<SeedMeasurement | null> {
  const { facts, triggerMicros: sizeMicros } = testing.design
  const run = await runOfTest(open, testing, { seed, sizeMicros, disturbed: true })
  if (run === null) return null
  const control = facts.control
    ? await runOfTest(open, testing, { seed, sizeMicros, disturbed: false })
    : null
  if (facts.control && control === null) return null
  const quiet = control?.seen ?? null
  const trial = trialOf(testing.design, seed, run, quiet)
  return { trial, course: courseOf({ trial, run: run.seen, control: quiet, span: run.span }) }
}

/**
 * Bisects from the given trials. Control runs are unnecessary: the load is the same, and the crew
 * was shown to carry it. Null when the test was stopped before.
 */
async function bisected(
  testing: Testing,
  found: readonly RecoveryTrial[],
): Promise<readonly SizeResult[] | null> {
  if (testing.trials.isOver) return null
  const sizeMs = testing.design.triggerMicros / MICROS_PER_MS
  const limits = {
    leastMs: Math.max(1, sizeMs * BISECTION.leastShare),
    mostMs: sizeMs * BISECTION.mostTimes,
  }
  const results = [sizeResult(sizeMs, found)]
  for (;;) {
    const next = nextSize(results, limits)
    if (next === null) return results
    const more = await eachSeedAt(testing, next)
    if (more === null) return results
    results.push(sizeResult(next, more))
  }
}

async function eachSeedAt(testing: Testing, sizeMs: number): Promise<RecoveryTrial[] | null> {
  const { trials, design, tell } = testing
  const seeds = design.facts.seeds.slice(0, BISECTION.seeds)
  const keyOf = (seed: number): string => `seed ${seed}, trigger of ${sizeMs} ms`
  const missing = seeds.filter((seed) => !trials.knows(keyOf(seed)))
  if (missing.length > 0) tell(sizeLine(sizeMs, missing.length))
  const found: RecoveryTrial[] = []
  for (const seed of seeds) {
    const settings = { seed, sizeMicros: Math.round(sizeMs * MICROS_PER_MS), disturbed: true }
    const trial = await trials.measured(keyOf(seed), trialSchema, async (open) => {
      const run = await runOfTest(open, testing, settings)
      return run === null ? null : trialOf(design, seed, run, null)
    })
    if (trial === null) return null
    found.push(trial)
  }
  return found
}

function trialOf(
  { rate, withinMicros }: RecoveryDesign,
  seed: number,
  { seen, span }: RunOfTest,
  control: RunSeen | null,
): RecoveryTrial {
  const betweenMicros = rate.perMicros / rate.count
  const stepMicros = Math.max(MICROS_PER_MS, Math.round(betweenMicros / STEPS_BETWEEN))
  return measureTrial({ seed, run: seen, control, span, stepMicros, withinMicros })
}

function sizeResult(sizeMs: number, trials: readonly RecoveryTrial[]): SizeResult {
  const known = trials.filter(({ outcome }) => outcome !== 'unclear')
  const tipped = known.filter(({ outcome }) => outcome === 'does-not-recover').length
  return { sizeMs, tipped, of: known.length }
}

interface RunSettings {
  seed: number
  sizeMicros: Micros
  disturbed: boolean
}

interface RunOfTest {
  seen: RunSeen
  span: Disturbance
}

/** Null when the test was stopped, or its target lost. */
async function runOfTest(
  trial: Trial,
  { design, crewSpeed }: Testing,
  settings: RunSettings,
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
  const reader = new RunReader()
  const end = await trial.run({
    scenario,
    plan,
    changes: { ...NO_EARLY_END, arrivals: heldArrivals(design, sizeMicros, factor), seed },
    options,
    onLine: (line) => reader.saw(line),
    onOver: async () => trial.distrust((await command?.over()) ?? []),
  })
  if (end === null || end.isCut) return null
  return { seen: visitsSeenIn(reader, end.ledger, plan.deadlineMicros), span }
}

/**
 * The maximum share of the time before the trigger that is left out, because executions that arrive
 * then may be affected by it.
 */
const TOUCHED_SHARE = 0.5

/** The times of the disturbance on the run's clock. */
function spanOf(design: RecoveryDesign, sizeMicros: Micros): Disturbance {
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
