/** Conducts a gate: makes the runs, compares them, and writes the baseline when it is due. */
import { join } from 'node:path'
import { z } from 'zod'
import { metricsOf } from '../../frame/comparing/compare.ts'
import { HISTORY_FILE, medians } from '../../frame/comparing/history.ts'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import type { Conducting, StudyOutcome } from '../../frame/conduct/conducting.ts'
import { fingerprintOf } from '../../frame/conduct/fingerprint.ts'
import { anyEngine, KEPT_PLACE, KEPT_PLAN, number, text } from '../../frame/conduct/kept-options.ts'
import { appendHistory } from '../../frame/conduct/history-file.ts'
import { resumable } from '../../frame/conduct/resume.ts'
import type { Made } from '../analyse/analyse.ts'
import { gateDocument } from '../analyse/analyse.ts'
import { FEWEST_RUNS } from '../../frame/comparing/options.ts'
import type { GateDocument } from '../document.ts'
import type { GateOptions } from '../plan/options.ts'
import type { GateDesign } from '../plan/plan.ts'
import type { GatePlan } from '../plan/outline.ts'
import { designGate } from '../plan/plan.ts'
import { gate } from '../study.ts'
import { writeBaseline } from './baseline.ts'
import type { GateSession } from './runs.ts'
import { makeRuns } from './runs.ts'

const kept = z.object({
  scenario: z.string(),
  ...KEPT_PLACE,
  engine: z.union([z.enum(['node', 'virtual', 'k6']), anyEngine]).optional(),
  runs: number,
  baseline: text,
  baselineTarget: text,
  baselineProfile: text,
  start: text,
  baselineStart: text,
  updateBaseline: z.enum(['pass', 'always']).optional(),
  metrics: text,
  smallestChange: text,
  margin: text,
  history: text,
  commit: text,
  ...KEPT_PLAN,
})

const conducting: Conducting<GateOptions, GateDesign, GatePlan, GateDocument> = {
  study: gate,
  kept,
  design: designGate,
  plan: ({ plan }) => plan,
  name: ({ run }) => `${run.name}-gate`,
  // The fingerprint includes the baseline, because a gate with another one is another gate.
  fingerprint: ({ run, options, stored }) =>
    [
      fingerprintOf(run, options.new.profile),
      ...(options.base === null ? [] : [fingerprintOf(null, options.base.profile)]),
      ...stored.map(({ result }) => result.run.id),
    ].join('-'),
  terms: ({ run, plan: { base, terms }, engine: { kind } }) => ({
    simulated: kind === 'virtual',
    budget: { requests: run.budget.requests, kickoffs: run.budget.kickoffs },
    planned: base.kind === 'turns' ? 2 * terms.runs : terms.runs,
    whenLost: 'restore the target; crewload resume makes the missing runs',
  }),
  measure: measured,
}

/**
 * Runs a candidate against its baseline, and decides whether it is worse. Throws as `conductStudy`.
 */
export async function holdGate(options: GateOptions): Promise<StudyOutcome<GateDocument>> {
  return conductStudy(conducting, options)
}

/** Continues a gate that was cut with the missing runs. */
export const resumeGate = resumable(conducting)

async function measured(session: GateSession): Promise<GateDocument> {
  const made = await makeRuns(session)
  const document = await concluded(session, made)
  if (document.ended === 'complete' && made.new.length >= FEWEST_RUNS) {
    await remember(document, made, session)
  }
  return document
}

async function concluded(session: GateSession, made: Made): Promise<GateDocument> {
  const { design, trials, options, facts } = session
  const { plan, run } = design
  const { target, profile, scenario } = plan.facts
  const place = { target, profile, scenario, seed: run.seed, commit: options.commit ?? null }
  const { judged, terms, base } = plan
  const asked = { judged, terms, facts: facts(), place, invalid: lossOf(session) }
  const hadNone = base.kind === 'none'
  if (base.kind === 'turns') return gateDocument(made, asked, { baseline: null, hadNone })
  const { folder } = base
  const found = gateDocument(made, asked, { baseline: { folder, written: 0 }, hadNone })
  const isDue = trials.ended === 'complete' && made.new.length >= FEWEST_RUNS
  const written = isDue && isWanted(plan, found) ? await write(folder, made, session) : 0
  return gateDocument(made, asked, { baseline: { folder, written }, hadNone })
}

/** Adds the line of this gate to the history. */
async function remember(
  { id, startedAt: at, commit, decision, new: runs }: GateDocument,
  { new: made }: Made,
  { options, design: { plan } }: GateSession,
): Promise<void> {
  const { baseline } = options
  const file = options.history ?? (baseline === undefined ? null : join(baseline, HISTORY_FILE))
  if (file === null) return
  const metrics = medians(metricsOf(made), plan.judged)
  const own = { id, at, commit, scenario: plan.facts.scenario, decision, runs: runs.length }
  await appendHistory(file, { schema: 'crewload/gate-line/1', ...own, metrics }).catch(
    (error: Error) => options.onTrouble?.(`the history could not be written: ${error.message}`),
  )
}

function isWanted({ base, updateBaseline }: GatePlan, { decision }: GateDocument): boolean {
  if (base.kind === 'none' || updateBaseline === 'always') return true
  return updateBaseline === 'pass' && decision === 'pass'
}

/** Returns the reason only if the target was lost: INVALID runs are reported as refused. */
function lossOf({ trials }: GateSession): GateDocument['verdict']['reasons'] {
  return trials.ended === 'target' ? trials.invalid.slice(-1) : []
}

async function write(
  folder: string,
  { new: runs }: Made,
  { options }: GateSession,
): Promise<number> {
  try {
    await writeBaseline(folder, runs)
    return runs.length
  } catch (error) {
    options.onTrouble?.(`the baseline could not be written: ${(error as Error).message}`)
    return 0
  }
}
