/**
 * A recovery test, wired: its plan, a trial for each seed, the bisection, and the document; or what
 * is missing of one that was cut.
 */
import { isLoopback } from '../../../base/loopback.ts'
import { UserError } from '../../../base/mistakes.ts'
import { onePlace } from '../../../run/target/chosen-place.ts'
import type { RecoveryDocument } from '../document.ts'
import { recoveryDocument } from '../analyse/recovery.ts'
import type { StudyOutcome } from '../../frame/conduct/conduct.ts'
import { conductStudy, resumeStudy } from '../../frame/conduct/conduct.ts'
import type { StudyStart } from '../../frame/envelope.ts'
import type { ResumeStudy } from '../../frame/conduct/resume.ts'
import { demandSameStudy } from '../../frame/conduct/resume.ts'
import type { LeftBehind } from '../../frame/trial/series.ts'
import { TrialSeries } from '../../frame/trial/series.ts'
import { sizeLine, trialLine } from '../report/words.ts'
import { recovery } from '../study.ts'
import type { RecoveryOptions } from '../plan/options.ts'
import type { Design } from '../plan/plan.ts'
import { designRecovery } from '../plan/plan.ts'
import { crewSpeedOf } from './crew-speed.ts'
import { askedSchema, fingerprintOf, requestOf } from './request.ts'
import { RecoveryTrials } from './trials.ts'

export interface RecoveryTestOutcome extends StudyOutcome<RecoveryDocument> {
  /** By run; each of these executions may go on costing money. */
  leftBehind: readonly LeftBehind[]
}

/**
 * Holds a load, disturbs the crew, and watches service come back or not, over several seeds. Throws
 * UserError for the user's mistakes, all at once and before anything is sent, and TargetError when
 * the target cannot be reached or refuses us.
 */
export async function testRecovery(
  scenario: string,
  options: RecoveryOptions,
): Promise<RecoveryTestOutcome> {
  const design = await designRecovery(scenario, options)
  // A deployment is tried once: there is nothing to go on with, and what it costs is asked about
  // each time.
  const request = isPaid(options) ? null : await requestOf(scenario, options, design)
  const leftBehind: LeftBehind[] = []
  const outcome = await conductStudy(recovery, {
    name: `${design.plan.name}-recovery`,
    out: options.out,
    consent: () => options.confirm?.(design.facts) ?? true,
    request,
    measure: async (start, folder) =>
      tested(design, options, { start, folder: folder?.path ?? null, leftBehind }),
  })
  return { ...outcome, leftBehind }
}

/** A recovery test that was cut goes on with the seeds and sizes that are missing. */
export const resumeRecovery: ResumeStudy = async (folder, recipe, given) => {
  demandSameStudy(folder, recipe, given)
  const asked = askedSchema.parse(recipe.asked)
  const { scenario = asked.scenario, tell, ...others } = given
  const options: RecoveryOptions = {
    ...(asked.options as Partial<RecoveryOptions>),
    ...others,
    ...(recipe.command === null ? {} : { command: recipe.command }),
    onTrial: (trial) => tell?.(trialLine(trial)),
    onSize: (sizeMs, trials) => tell?.(sizeLine(sizeMs, trials)),
  }
  const design = await designRecovery(scenario, options)
  demandUnchanged(design, recipe.fingerprint, scenario)
  const place = given.target === undefined ? asked.place : {}
  const same = { ...design, facts: { ...design.facts, ...place } }
  const leftBehind: LeftBehind[] = []
  const outcome = await resumeStudy(recovery, folder, recipe, async (start) =>
    tested(same, options, { start, folder, leftBehind }),
  )
  return { ...outcome, leftBehind }
}

function demandUnchanged(design: Design, fingerprint: string, scenario: string): void {
  const found = fingerprintOf(design)
  if (found === fingerprint) return
  const problem = `is not what the test was begun with (${fingerprint}), or its profile is not: give another copy with --scenario FILE, or begin it anew`
  throw new UserError({ source: scenario, path: '', found, problem })
}

function isPaid(options: RecoveryOptions): boolean {
  const place = onePlace(options)
  return place.kind === 'target' && !isLoopback(place.target.hostname)
}

interface Test {
  start: StudyStart
  folder: string | null
  /** Filled while it goes on. */
  leftBehind: LeftBehind[]
}

async function tested(
  design: Design,
  options: RecoveryOptions,
  { start, folder, leftBehind }: Test,
): Promise<RecoveryDocument> {
  const { facts } = design
  const crewSpeed = design.trigger.kind === 'fault' ? await crewSpeedOf(design) : 1
  const series = await TrialSeries.open({
    folder,
    simulated: facts.engine === 'virtual',
    whenLost: `bring the target back, with --undo-command if a command took it away${folder === null ? '' : `; crewload resume ${folder} goes on with the trials that are missing`}`,
    leftBehind,
    onStart: options.onStart,
    onTrouble: options.onTrouble,
  })
  const each = new RecoveryTrials(series, design, crewSpeed, options)
  const seeds = await each.eachSeed()
  const trials = seeds.map(({ trial }) => trial)
  const sizes = facts.bisect ? await each.bisected(trials) : null
  return recoveryDocument({
    ...start,
    plan: facts,
    ended: series.stopped ? 'interrupted' : 'complete',
    durationMs: series.durationMs,
    runs: series.runs,
    ...series.spent,
    command: options.command ?? null,
    trials,
    courses: seeds.map(({ course }) => course),
    sizes,
    invalid: series.invalid,
  })
}
