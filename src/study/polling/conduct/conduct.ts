/** A study of polling, wired: runs read, or one made, and the document of what polling costs. */
import { performance } from 'node:perf_hooks'
import type { StudyOutcome } from '../../frame/conduct/conduct.ts'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import type { StudyStart } from '../../frame/envelope.ts'
import type { LeftBehind } from '../../frame/trial/series.ts'
import { TrialSeries } from '../../frame/trial/series.ts'
import { analysePolling } from '../analyse/analyse.ts'
import type { Learned } from '../analyse/learned.ts'
import type { PollingDocument } from '../document.ts'
import type { PollingOptions } from '../plan/options.ts'
import type { Design } from '../plan/plan.ts'
import { designPolling } from '../plan/plan.ts'
import { polling } from '../study.ts'
import { joined, RunRecorder } from './recorder.ts'
import { readRecordings } from './runs.ts'

export interface PollingOutcome extends StudyOutcome<PollingDocument> {
  /** By run; each of these executions may go on costing money. */
  leftBehind: readonly LeftBehind[]
}

/**
 * Learns how long executions take, replays every strategy over them, and recommends one. Throws
 * UserError for the user's mistakes, all at once and before anything is sent, and TargetError when
 * the target cannot be reached or refuses us.
 */
export async function studyPolling(options: PollingOptions): Promise<PollingOutcome> {
  const design = await designPolling(options)
  const leftBehind: LeftBehind[] = []
  const outcome = await conductStudy(polling, {
    name: `${design.trial?.plan.name ?? 'runs'}-polling`,
    out: options.out,
    consent: () => options.confirm?.(design.facts) ?? true,
    measure: async (start, folder) =>
      measured(design, options, { start, folder: folder?.path ?? null, leftBehind }),
  })
  return { ...outcome, leftBehind }
}

interface Study {
  start: StudyStart
  folder: string | null
  leftBehind: LeftBehind[]
}

async function measured(
  design: Design,
  options: PollingOptions,
  study: Study,
): Promise<PollingDocument> {
  const began = performance.now()
  const learned =
    design.trial === null
      ? await readRecordings(design.facts.runs)
      : await recorded(design, design.trial, options, study)
  const { requests = null, kickoffs = null } = options.budget ?? {}
  return analysePolling(learned, {
    ...study.start,
    kind: design.facts.kind,
    wish: design.wish,
    told: design.facts.wish,
    durationMs: () => performance.now() - began,
    budget: { requests, kickoffs },
    command: options.command ?? null,
  })
}

/** Makes the run; what it had recorded when it was stopped counts too. */
async function recorded(
  { facts: { kind, facts } }: Design,
  trial: NonNullable<Design['trial']>,
  options: PollingOptions,
  { folder, leftBehind }: Study,
): Promise<Learned> {
  const simulated = kind === 'virtual'
  const series = await TrialSeries.open({
    folder,
    simulated,
    whenLost: 'bring the target back, and try again',
    leftBehind,
    onStart: options.onStart,
    onTrouble: options.onTrouble,
  })
  const recorder = new RunRecorder()
  const end = await series.run({ ...trial, onLine: (line) => recorder.saw(line) })
  return {
    recording: joined([recorder.recording(end?.ledger ?? null)]),
    runs: folder === null || simulated ? [] : ['run-1'],
    target: facts?.target ?? recorder.target,
    profile: facts?.profile ?? null,
    scenario: recorder.scenario ?? trial.plan.name,
    seed: trial.plan.seed,
    spent: end?.spent ?? series.spent,
    invalid: end?.result.verdict.outcome === 'invalid' ? end.result.verdict.reasons : [],
  }
}
