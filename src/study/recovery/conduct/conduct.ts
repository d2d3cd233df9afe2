/** Conducts a recovery test: a trial for each seed, the bisection, and the document. */
import { recoveryDocument } from '../analyse/analyse.ts'
import { isLoopback } from '../../../base/loopback.ts'
import { onePlace } from '../../../run/target/chosen-place.ts'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import type { Conducting, Session, StudyOutcome } from '../../frame/conduct/conducting.ts'
import { fingerprintOf } from '../../frame/conduct/fingerprint.ts'
import { resumable } from '../../frame/conduct/resume.ts'
import type { TrialTerms } from '../../frame/trial/trials.ts'
import type { RecoveryDocument, RecoveryPlan } from '../document.ts'
import type { RecoveryOptions } from '../options.ts'
import { RECOVERY } from '../options.ts'
import type { Design } from '../plan/plan.ts'
import { demandSingleTrial, designRecovery } from '../plan/plan.ts'
import { recovery } from '../study.ts'
import { RecoveryTrials } from './trials.ts'
import { env as processEnv } from 'node:process'
import { loadProfile } from '../../../../fake-crew/profiles.ts'
import { UserError } from '../../../base/mistakes.ts'
import { adminTokenIn, findFakeControl } from '../../../run/fake/control.ts'

const conducting: Conducting<RecoveryOptions, Design, RecoveryPlan, RecoveryDocument> = {
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
  measure: measured,
}

/**
 * Applies a load, disturbs the crew, and observes over several seeds whether service returns.
 * Throws as `conductStudy`.
 */
export async function testRecovery(
  options: RecoveryOptions,
): Promise<StudyOutcome<RecoveryDocument>> {
  return conductStudy(conducting, options)
}

/** A recovery test that was cut continues with the missing seeds and sizes. */
export const resumeRecovery = resumable(conducting)

function termsOf({ facts }: Design): TrialTerms {
  return {
    simulated: facts.engine === 'virtual',
    budget: facts.budget,
    planned: facts.bisect ? null : facts.seeds.length,
    whenLost:
      'restore the target, with --undo-command if a command disturbed it; crewload resume runs ' +
      'the missing trials',
  }
}

async function measured({
  design,
  options,
  trials,
  facts,
}: Session<RecoveryOptions, Design>): Promise<RecoveryDocument> {
  const { facts: plan, trigger } = design
  await demandSingleTrial(options)
  const crewSpeed = trigger.kind === 'fault' ? await crewSpeedOf(design) : 1
  const each = new RecoveryTrials(trials, design, crewSpeed, options.tell)
  const seeds = await each.eachSeed()
  const found = seeds.map(({ trial }) => trial)
  const sizes = plan.bisect ? await each.bisected(found) : null
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
async function crewSpeedOf({ plan, options }: Design): Promise<number> {
  const place = onePlace(options)
  if (place.kind === 'profile') return plan.speed * loadProfile(place.profile).speed
  const fake = await findFakeControl(place.target, adminTokenIn(options.env ?? processEnv))
  if (fake !== null) return fake.speed
  const problem =
    'faults need a fake crew on this machine, and this target is not one: disturb ' +
    'it with --trigger-command'
  throw new UserError({ source: '--trigger', path: '', problem })
}
