/** A study of polling, wired: runs read, or one made, and the document of what polling costs. */
import { basename, join } from 'node:path'
import { z } from 'zod'
import { calculate } from '../../frame/conduct/calculate.ts'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import type { Conducting, Session, StudyOutcome } from '../../frame/conduct/conducting.ts'
import { fingerprintOf } from '../../frame/conduct/fingerprint.ts'
import { KEPT_PLACE, KEPT_PLAN, number, text } from '../../frame/conduct/kept-options.ts'
import { resumable } from '../../frame/conduct/resume.ts'
import type { TrialRunEnd } from '../../frame/trial/trial.ts'
import { analysingPolling } from '../analyse/analyse.ts'
import type { Learned } from '../analyse/learned.ts'
import type { PollingDocument } from '../document.ts'
import type { PollingOptions } from '../plan/options.ts'
import type { Design, PollingPlan } from '../plan/plan.ts'
import { designPolling } from '../plan/plan.ts'
import { polling } from '../study.ts'
import { joined, RunRecorder } from './recorder.ts'
import { readRecordings } from './runs.ts'

const kept = z.object({
  runs: z.array(z.string()).optional(),
  scenario: text,
  executions: number,
  network: text,
  ...KEPT_PLACE,
  maxPolls: text,
  delay: text,
  pollPrice: number,
  delayPrice: number,
  ...KEPT_PLAN,
})

const conducting: Conducting<PollingOptions, Design, PollingPlan, PollingDocument> = {
  study: polling,
  kept,
  design: designPolling,
  plan: ({ facts }) => facts,
  name: ({ trial }) => `${trial?.plan.name ?? 'runs'}-polling`,
  fingerprint: ({ trial }) => fingerprintOf(trial?.plan ?? null, trial?.options.profile),
  // What costs nothing is begun anew.
  isResumable: ({ facts: { kind } }) => kind === 'target',
  terms: ({ facts: { kind }, trial }) => ({
    simulated: kind === 'virtual',
    budget: {
      requests: trial?.plan.budget.requests ?? null,
      kickoffs: trial?.plan.budget.kickoffs ?? null,
    },
    planned: trial === null ? 0 : 1,
    whenLost: 'bring the target back, and try again',
  }),
  measure: measured,
}

/**
 * Learns how long executions take, replays every strategy over them, and recommends one. Throws as
 * `conductStudy`.
 */
export async function studyPolling(
  options: PollingOptions,
): Promise<StudyOutcome<PollingDocument>> {
  return conductStudy(conducting, options)
}

/** A study that was cut makes its run anew, or reads it where it had ended. */
export const resumePolling = resumable(conducting)

type PollingSession = Session<PollingOptions, Design>

async function measured(session: PollingSession): Promise<PollingDocument> {
  const { trial, facts, wish } = session.design
  const learned = trial === null ? await readRecordings(facts.runs) : await recorded(session, trial)
  const asked = { facts: session.facts, kind: facts.kind, wish, told: facts.wish }
  return calculate(analysingPolling(learned, asked), session.options.onStep)
}

const madeIn = z.object({ folder: z.string() })
const KEY = 'run'

/** Makes the run; what it had recorded when it was stopped counts too. */
async function recorded(
  { design: { facts }, trials, folder }: PollingSession,
  trial: NonNullable<Design['trial']>,
): Promise<Learned> {
  const recorder = new RunRecorder()
  let end: TrialRunEnd | null = null
  const reports = facts.kind === 'target' && folder !== null
  const made = await trials.measured(KEY, madeIn, async (own) => {
    end = await own.run({ ...trial, reports, onLine: (line) => recorder.saw(line) })
    return end === null || end.isCut ? null : { folder: basename(end.folder?.path ?? '') }
  })
  const name = made?.folder ?? ''
  const isFormer = end === null && folder !== null && name !== ''
  if (isFormer) return { ...(await readRecordings([join(folder, name)])), runs: [name] }
  return {
    recording: joined([recorder.recording(ledgerOf(end))]),
    runs: name === '' ? [] : [name],
    target: facts.facts?.target ?? recorder.target,
    profile: facts.facts?.profile ?? null,
    scenario: recorder.scenario ?? trial.plan.name,
    seed: trial.plan.seed,
    invalid: trials.invalid,
  }
}

function ledgerOf(end: TrialRunEnd | null): TrialRunEnd['ledger'] {
  return end?.ledger ?? null
}
