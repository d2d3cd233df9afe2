/** Conducts a gate: makes the runs, compares them, and writes the baseline when it is due. */
import { join } from 'node:path'
import { metricsOf } from '../../compare.ts'
import type { HistoryLine } from '../../history.ts'
import { HISTORY_FILE, medians } from '../../history.ts'
import {
  appendHistory,
  demandWritable,
  idsOf,
  keepBaseline,
  keptBaseline,
  writeBaseline,
} from '../../gate-files.ts'
import { UserError } from '../../../../base/mistakes.ts'
import type { TrialReason } from '../../../frame/findings.ts'
import { conductStudy } from '../../../frame/conduct/conduct.ts'
import type { Conducting, StudyOutcome } from '../../../frame/conduct/conducting.ts'
import { fingerprintOf } from '../../../frame/conduct/conducting.ts'
import type { ResumeStudy } from '../../../frame/conduct/resume.ts'
import { resumable } from '../../../frame/conduct/resume.ts'
import { readStudy } from '../../../frame/conduct/stored.ts'
import type { Made } from '../analyse/analyse.ts'
import { gateDocument } from '../analyse/analyse.ts'
import { FEWEST_RUNS } from '../../options.ts'
import type { GateDocument } from '../document.ts'
import { gateSchema } from '../document.ts'
import type { GateOptions } from '../options.ts'
import { GATE } from '../options.ts'
import type { GateDesign } from '../plan/plan.ts'
import type { GatePlan } from '../plan/outline.ts'
import { designGate } from '../plan/plan.ts'
import { gate } from '../study.ts'
import type { GateSession } from './runs.ts'
import { makeRuns } from './runs.ts'

export const conducting: Conducting<GateOptions, GateDesign, GatePlan, GateDocument> = {
  study: gate,
  table: GATE,
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

/**
 * Continues a gate that was cut with the missing runs, and the baseline that it was begun with.
 * Throws UserError for one that is finished.
 */
export const resumeGate: ResumeStudy = async (folder, recipe, given) => {
  await demandUnfinished(folder)
  const begun = await keptBaseline(folder)
  const design = async (options: GateOptions): Promise<GateDesign> => designGate(options, begun)
  return resumable({ ...conducting, design })(folder, recipe, given)
}

async function demandUnfinished(folder: string): Promise<void> {
  const found = await readStudy(folder, [gate]).catch(() => null)
  const document = gateSchema.safeParse(found?.document).data
  if (document === undefined || document.ended !== 'complete') return
  const { base, baseline, verdict } = document
  // Its first baseline could not be written.
  if (base.length === 0 && baseline?.written === 0) return
  const problem =
    'is the folder of a finished gate, and nothing is left to resume; crewload report shows ' +
    `it: ${verdict.sentence}`
  throw new UserError({ source: folder, path: '', problem })
}

async function measured(session: GateSession): Promise<GateDocument> {
  const { design, folder, options } = session
  const { base: kept, updateBaseline } = design.plan
  const mayWrite = kept.kind === 'none' || updateBaseline !== null
  if (mayWrite && kept.kind !== 'turns') await demandWritable(kept.folder)
  if (folder !== null && design.plan.base.kind !== 'turns') {
    await keepBaseline(folder, design.stored).catch((error: Error) =>
      options.onTrouble?.(`the gate cannot be resumed: ${error.message}`),
    )
  }
  const made = await makeRuns(session)
  const { base } = design.plan
  const found = documentOf(session, made, 0)
  const isDue = session.trials.ended === 'complete' && made.new.length >= FEWEST_RUNS
  if (!isDue) return found
  const isNew = base.kind !== 'turns' && isWanted(design.plan, found)
  const document = isNew ? documentOf(session, made, made.new.length) : found
  const lines = {
    found: lineOf(found, made, design.plan),
    written: lineOf(document, made, design.plan),
  }
  const written = await remember(lines, made, session, isNew)
  return written ? document : found
}

/** `written`: the number of runs that became the new baseline. */
function documentOf(session: GateSession, made: Made, written: number): GateDocument {
  const { design, options, facts } = session
  const { plan, run } = design
  const { target, profile, scenario } = plan.facts
  const place = { target, profile, scenario, seed: run.seed, commit: options.commit ?? null }
  const { judged, terms, base } = plan
  const asked = { judged, terms, facts: facts(), place, invalid: lossOf(session) }
  const baseline = base.kind === 'turns' ? null : { folder: base.folder, written }
  const gatesBefore = base.kind === 'none' ? base.gates : null
  return gateDocument(made, asked, { baseline, gatesBefore })
}

/**
 * Writes the new baseline, and the line of the gate into the history: together, if both are in one
 * folder. Returns whether the baseline was written.
 */
async function remember(
  lines: Record<'found' | 'written', HistoryLine>,
  made: Made,
  { options, design }: GateSession,
  isNew: boolean,
): Promise<boolean> {
  const { baseline: folder, onTrouble } = options
  const own = folder === undefined ? null : join(folder, HISTORY_FILE)
  const file = options.history ?? own
  let written = false
  if (isNew && folder !== undefined) {
    const instead = options.updateBaseline === 'always' ? null : idsOf(design.stored)
    const runs = made.new
    written = await writeBaseline(folder, {
      runs,
      instead,
      line: file === own ? lines.written : null,
    }).then(
      () => true,
      (error: Error) => {
        onTrouble?.(`the baseline could not be written: ${error.message}`)
        return false
      },
    )
  }
  if (file === null || (written && file === own)) return written
  await appendHistory(file, written ? lines.written : lines.found).catch((error: Error) =>
    onTrouble?.(`the history could not be written: ${error.message}`),
  )
  return written
}

function lineOf(document: GateDocument, { new: made }: Made, plan: GatePlan): HistoryLine {
  const { id, startedAt: at, commit, decision, new: runs } = document
  const own = { id, at, commit, scenario: plan.facts.scenario, decision, runs: runs.length }
  const metrics = medians(metricsOf(made), plan.judged)
  return { schema: 'crewload/gate-line/1', ...own, metrics }
}

function isWanted({ base, updateBaseline }: GatePlan, { decision }: GateDocument): boolean {
  if (base.kind === 'none' || updateBaseline === 'always') return true
  return updateBaseline === 'pass' && decision === 'pass'
}

/** Returns the reason only if the target was lost: INVALID runs are reported as refused. */
function lossOf({ trials }: GateSession): TrialReason[] {
  return trials.ended === 'target' ? trials.invalid.slice(-1) : []
}
