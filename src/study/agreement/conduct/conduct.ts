/** Runs one seed under several engines, one trial each, and compares what they measured. */
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { ResultDocument } from '../../../analysis/document.ts'
import { decidabilityNotes } from '../../../analysis/verdict/decidable.ts'
import { assert } from '../../../base/assert.ts'
import { UserError } from '../../../base/mistakes.ts'
import type { EngineChoice } from '../../../run/engines.ts'
import { readRun } from '../../../run/folder/stored.ts'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import type { Conducting, Session, StudyOutcome } from '../../frame/conduct/conducting.ts'
import { fingerprintOf } from '../../frame/conduct/fingerprint.ts'
import { anyEngine, KEPT_PLACE, KEPT_PLAN, number, text } from '../../frame/conduct/kept-options.ts'
import { resumable } from '../../frame/conduct/resume.ts'
import type { TrialRun } from '../../frame/trial/run.ts'
import type { TrialRunEnd } from '../../frame/trial/trial.ts'
import { analyseAgreement, DEFAULT_BOUNDS } from '../analyse/analyse.ts'
import type { ComparedRun } from '../analyse/aspects.ts'
import type { AgreementBounds, AgreementDocument } from '../document.ts'
import type { AgreementDesign, AgreementOptions } from '../plan.ts'
import { designAgreement, optionsUnder } from '../plan.ts'
import type { AgreementPlan } from '../study.ts'
import { agreement } from '../study.ts'
import { readComparedRun } from './compared-run.ts'

const kept = z.object({
  scenario: z.string(),
  engines: z.array(z.object({ name: z.string(), folder: z.string(), engine: anyEngine })),
  profile: text,
  dialect: KEPT_PLACE.dialect,
  faults: text,
  ...KEPT_PLAN,
  judge: z.enum(['interval', 'value']).optional(),
  inconclusive: z.enum(['inconclusive', 'pass', 'fail']).optional(),
  agreeWithin: number,
})

/** Data of the runs, in the order of the trials, that the document does not contain. */
interface Ran {
  documents: ResultDocument[]
  /** Why the first set of reports that failed could not be written. */
  unwritten: string | null
}

type AgreementConducting = Conducting<
  AgreementOptions,
  AgreementDesign,
  AgreementPlan,
  AgreementDocument
>

function conductingInto(ran: Ran): AgreementConducting {
  return {
    study: agreement,
    kept,
    design: designAgreement,
    plan: ({ shown }) => shown,
    name: ({ plan }) => `${plan.name}-agreement`,
    fingerprint: ({ plan, options }) => fingerprintOf(plan, options.profile),
    terms: ({ plan, options }) => ({
      simulated: false,
      budget: { requests: plan.budget.requests, kickoffs: plan.budget.kickoffs },
      planned: options.engines.length,
      whenLost: 'crewload resume runs the missing engines',
    }),
    measure: async (session) => measured(session, ran),
  }
}

export interface AgreementOutcome extends StudyOutcome<AgreementDocument> {
  /** The results in the order of the trials. */
  runs: readonly ResultDocument[]
}

/**
 * Runs the scenario under each engine of the list, each against a fresh fake crew with the same
 * profile and seed, and compares each with the first. A stop ends the current run and cancels the
 * following ones; what exists is compared. Throws as `conductStudy`.
 */
export async function agree(options: AgreementOptions): Promise<AgreementOutcome> {
  const ran: Ran = { documents: [], unwritten: null }
  const outcome = await conductStudy(conductingInto(ran), options)
  return { ...outcome, runs: ran.documents, unwritten: ran.unwritten ?? outcome.unwritten }
}

/** An agreement that was cut continues with the missing engines. */
export const resumeAgreement = resumable(conductingInto({ documents: [], unwritten: null }))

type AgreementSession = Session<AgreementOptions, AgreementDesign>

const ranIn = z.object({ folder: z.string() })

async function measured(session: AgreementSession, ran: Ran): Promise<AgreementDocument> {
  const { design, options, folder, trials, facts } = session
  assert(folder !== null, 'the runs of an agreement are read back from their folders')
  for (const note of decidabilityNotes(design.plan)) options.onNote?.(note)
  const compared: ComparedRun[] = []
  for (const [i, choice] of options.engines.entries()) {
    if (!trials.knows(choice.name) && !trials.isOver) {
      options.tell?.(`engine ${i + 1} of ${options.engines.length}: ${choice.name}`)
    }
    let end: TrialRunEnd | null = null
    const whole = await trials.measured(choice.name, ranIn, async (trial) => {
      end = await trial.run(runUnder(choice, session))
      return end === null || end.isCut ? null : { folder: basename(end.folder?.path ?? '') }
    })
    const run = await comparedRunOf(folder, choice, end, whole?.folder)
    if (run === null) break
    compared.push(run)
    ran.documents.push(run.document)
    ran.unwritten ??= unwrittenBy(end)
  }
  return analyseAgreement(compared, boundsOf(options), { ...facts(), ...design.place })
}

function unwrittenBy(end: TrialRunEnd | null): string | null {
  return end?.unwritten ?? null
}

function runUnder(choice: EngineChoice, { design, options }: AgreementSession): TrialRun {
  const { scenario } = options
  return {
    scenario,
    plan: design.plan,
    changes: {},
    options: optionsUnder(choice, options),
    folder: choice.folder,
    reports: true,
  }
}

/**
 * A run of this process, or of an earlier one. A run that was stopped shows only a part; for one
 * whose budget ran out, its own report says so. Null when there is none.
 */
async function comparedRunOf(
  folder: string,
  choice: EngineChoice,
  end: TrialRunEnd | null,
  before: string | undefined,
): Promise<ComparedRun | null> {
  const path = end?.folder?.path ?? (before === undefined ? null : join(folder, before))
  if (path === null || (end?.isCut === true && end.result.run.stopped === null)) return null
  const document = end?.result ?? (await resultIn(path))
  return readComparedRun({ name: choice.name, folder: basename(path) }, folder, document)
}

/** Throws UserError when there is no result. */
async function resultIn(path: string): Promise<ResultDocument> {
  const { result } = await readRun(path)
  if (result !== null) return result
  const problem =
    'its result is missing: remove the trial from trials.ndjson, or start the study again'
  throw new UserError({ source: path, path: '', problem })
}

function boundsOf({ agreeWithin }: AgreementOptions): AgreementBounds {
  return { ...DEFAULT_BOUNDS, quantileShare: agreeWithin ?? DEFAULT_BOUNDS.quantileShare }
}
