/** A study of polling, wired: runs read, or one made, and the document of what polling costs. */
import { distinctCrews } from '../../../execution/record/crew-place.ts'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { JournalLine } from '../../../execution/record/journal-lines.ts'
import type { Conducting, Session } from '../../frame/conduct/conducting.ts'
import { fingerprintOf } from '../../frame/conduct/conducting.ts'
import { TRIAL_REASONS } from '../../frame/trial/reasons.ts'
import { reasonOf } from '../../../result/sentence-tables.ts'
import type { Trial, TrialRunEnd } from '../../frame/trial/trial.ts'
import { analysingPolling, unansweredPolling } from '../analyse/analyse.ts'
import type { LearnedRuns } from '../analyse/replay/recording.ts'
import type { PollingDocument } from '../document.ts'
import type { PollingOptions, PollingPlan } from '../options.ts'
import { POLLING } from '../options.ts'
import type { PollingDesign } from '../plan/plan.ts'
import { designPolling } from '../plan/plan.ts'
import { lapsedGoal } from '../plan/goal.ts'
import { polling } from '../study.ts'
import { RunReader } from '../../frame/executions/reader.ts'
import { MOST_EXECUTIONS, recordingOf } from '../analyse/replay/recording.ts'
import { describe } from '../../../scenario/arrivals/index.ts'
import type { BudgetLimits } from '../../../engine/sending-budget.ts'
import { leastOf } from '../../../engine/sending-budget.ts'
import type { StoredRun } from '../../../run/folder/stored.ts'
import { readRun } from '../../../run/folder/stored.ts'
import type { PastRun } from '../../frame/conduct/past-runs.ts'
import { commonFacts, placesOf, readPastRun } from '../../frame/conduct/past-runs.ts'

export const conducting: Conducting<PollingOptions, PollingDesign, PollingPlan, PollingDocument> = {
  study: polling,
  table: POLLING,
  design: designPolling,
  plan: ({ facts }) => facts,
  name: ({ trial }) => `${trial?.plan.name ?? 'runs'}-polling`,
  fingerprint: ({ trial }) => fingerprintOf(trial?.plan ?? null, trial?.options.profile),
  terms: ({ facts: { kind }, trial }) => ({
    simulated: kind === 'virtual',
    budget: {
      requests: trial?.plan.budget.requests ?? null,
      kickoffs: trial?.plan.budget.kickoffs ?? null,
    },
    planned: trial === null ? 0 : 1,
    whenLost: 'bring the target back; crewload resume makes the executions that are missing',
  }),
  measure: pollingDocumentOf,
}

type PollingSession = Session<PollingOptions, PollingDesign>

async function pollingDocumentOf(session: PollingSession): Promise<PollingDocument> {
  const { design, options, trials } = session
  const { trial, facts } = design
  const learned =
    trial === null
      ? await readRecordings(design.runs, () => trials.isOver)
      : await recorded(session, trial)
  const goal = lapsedGoal(design.goal, learned.speed)
  const asked = { facts: session.facts, kind: facts.kind, goal }
  // What a run had recorded when it was stopped is worth an answer; some of the runs that were to
  // be read are not.
  if (trial === null && trials.isOver) return unansweredPolling(learned, asked)
  const answer = await trials.calculated(analysingPolling(learned, asked), options.onStep)
  return answer ?? unansweredPolling(learned, asked)
}

const madeIn = z.object({ folder: z.string() })
const KEY = 'run'

/** Makes the run, or what a run that was cut left of it: what was recorded then counts too. */
async function recorded(
  { design: { facts }, trials, folder }: PollingSession,
  trial: PollingMade,
): Promise<LearnedRuns> {
  const runs: PastRun[] = []
  const recall = async (name: string): Promise<void> => {
    runs.push(await readPastRun(await readRun(join(folder ?? '', name)), KEPT))
  }
  for (const name of trials.cutRuns) await recall(name)
  const reader = new RunReader(MOST_EXECUTIONS)
  const reports = facts.kind === 'target' && folder !== null
  let end: TrialRunEnd | null = null
  const make = async (own: Trial): Promise<z.infer<typeof madeIn> | null> => {
    const rest = restOf(trial, runs, own.left)
    if (rest === 'spent') return own.outOfBudget()
    if (rest === 'none') return { folder: '' }
    const loseTarget = (): void => {
      const { lost: answer } = reader
      if (answer !== null) trials.lose(reasonOf(TRIAL_REASONS, 'target-lost', { answer }))
    }
    const onLine = (line: JournalLine): void => {
      reader.saw(line)
      if (tellsNobodyAnswers(line)) loseTarget()
    }
    end = await own.run({ ...rest, reports, onLine })
    loseTarget()
    if (end === null || end.isCut || reader.lost !== null) return null
    return { folder: basename(end.folder ?? '') }
  }
  const made = await trials.measured(KEY, madeIn, make)
  const wasKept = made !== null && end === null
  if (wasKept && facts.kind === 'virtual') await trials.unkept(KEY, make)
  if (wasKept && made.folder !== '') await recall(made.folder)
  const ended = end as TrialRunEnd | null
  const own = ended === null ? [] : [{ reader, ledger: ended.ledger, folder: ended.folder }]
  const all = [...runs, ...own]
  const [place = facts.facts!.place] = placesOf(all)
  return {
    recording: recordingOf(all),
    runs: all.flatMap((run) => (run.folder === null ? [] : basename(run.folder))),
    place,
    scenario: reader.first?.scenario ?? trial.plan.name,
    seed: trial.plan.seed,
    speed: trial.plan.speed,
    invalid: trials.invalid,
    doubted: [],
    crews: [],
  }
}

/**
 * Whether the circuit of the run has opened for polls too. Executions in flight would be polled to
 * their deadline then, which may be half an hour away, and tell nothing.
 */
function tellsNobodyAnswers(line: JournalLine): boolean {
  if (line.type !== 'incident' || line.incident.kind !== 'target-lost') return false
  return line.incident.loss.scope === 'everything'
}

type PollingMade = NonNullable<PollingDesign['trial']>

/**
 * The run without the executions whose end is known already; each run makes those of its warm-up.
 * `none`: there are no others; `spent`: there are, and the budget of the study has no kickoff left.
 */
function restOf(
  trial: PollingMade,
  runs: readonly PastRun[],
  left: BudgetLimits,
): PollingMade | 'none' | 'spent' {
  if (runs.length === 0) return trial
  const plan = { ...trial.plan, ...trial.changes }
  const { arrivals } = describe(plan.arrivals)
  const { executions } = recordingOf(runs)
  const known = executions.filter(({ fate }) => fate !== 'censored').length
  const missing = arrivals === null ? null : Math.round(arrivals) - known
  const warmUps = runs.map(({ reader: { ended } }) => {
    return ended.filter(({ warmUp, resumed }) => warmUp && !resumed).length
  })
  if (missing !== null && missing <= Math.max(...warmUps)) return 'none'
  const kickoffs = leastOf(plan.budget.kickoffs, missing, left.kickoffs)
  if (kickoffs === 0) return 'spent'
  return { ...trial, changes: { ...trial.changes, budget: { ...plan.budget, kickoffs } } }
}

const KEPT = { most: MOST_EXECUTIONS }

/** `isStopped`: asked before each run; the rest is then not read. */
export async function readRecordings(
  runs: readonly StoredRun[],
  isStopped: () => boolean,
): Promise<LearnedRuns> {
  const read: PastRun[] = []
  for (const run of runs) {
    if (isStopped()) break
    read.push(await readPastRun(run, KEPT))
  }
  return {
    recording: recordingOf(read),
    runs: read.map(({ folder }) => folder),
    ...commonFacts(read, runs.length),
    crews: distinctCrews(placesOf(read)),
    invalid: [],
    doubted: read.filter(isDoubted).map(doubtOf),
  }
}

function isDoubted({ result, cut }: PastRun): boolean {
  return cut !== null || result?.verdict.valid === false
}

function doubtOf({ folder, result, cut }: PastRun): LearnedRuns['doubted'][number] {
  const { outcome = null, reasons = [] } = result?.verdict ?? {}
  return { run: basename(folder), cut, outcome, reasons }
}
