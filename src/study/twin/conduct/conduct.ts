/**
 * Conducts the study of a twin: reads the runs, writes the profile, and says in the document how
 * good it is.
 */
import { distinctCrews } from '../../../execution/record/crew-place.ts'
import { NO_LIMITS } from '../../../engine/sending-budget.ts'
import type { JournalLine } from '../../../execution/record/journal-lines.ts'
import { sumBy } from '../../../result/statistics/moments.ts'
import type { Conducting, Session } from '../../frame/conduct/conducting.ts'
import { readsOnly } from '../../frame/conduct/conducting.ts'
import { stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { prepareHdr } from '../../../result/counting/histogram.ts'
import { temporaryFolder } from '../../../run/folder/temporary.ts'
import { agreementOf } from '../analyse/agreement.ts'
import type { Twin } from '../analyse/analyse.ts'
import { fileOf, twinDocument, twinOf } from '../analyse/analyse.ts'
import { areLimited, learnCrew } from '../analyse/learn/learn.ts'
import type { SeenRun } from '../analyse/seen.ts'
import { MOST_EXECUTIONS, seenIn } from '../analyse/seen.ts'
import type { Agreement, TwinDocument } from '../document.ts'
import type { TwinOptions, TwinPlan } from '../options.ts'
import { REPLAYS, TWIN } from '../options.ts'
import { SEED } from '../../frame/options.ts'
import { twin as study } from '../study.ts'
import { planOf } from '../../../run/plan/prepare.ts'
import { loaded } from '../../../run/scenario/load.ts'
import type { RunOptions } from '../../../run/options.ts'
import type { Plan } from '../../../scenario/plan.ts'
import type { Trial } from '../../frame/trial/trial.ts'
import { RunReader } from '../../frame/executions/reader.ts'
import type { PastRun } from '../../frame/conduct/past-runs.ts'
import { commonFacts, placesOf, readPastRun, storedRuns } from '../../frame/conduct/past-runs.ts'
import { readRun } from '../../../run/folder/stored.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError, notWhole } from '../../../base/mistakes.ts'
import { flagName } from '../../../base/options/table.ts'

export const conducting: Conducting<TwinOptions, TwinPlan, TwinPlan, TwinDocument> = {
  study,
  table: TWIN,
  design: designTwin,
  plan: (plan) => plan,
  name: () => 'twin',
  ...readsOnly,
  // Replays in virtual time cost nothing.
  terms: () => ({ simulated: true, budget: NO_LIMITS, planned: 1, whenLost: '' }),
  measure: twinDocumentOf,
}

type TwinSession = Session<TwinOptions, TwinPlan>

async function twinDocumentOf(session: TwinSession): Promise<TwinDocument> {
  const { options, design, facts } = session
  const { runs, file } = design
  const past: ReadRun[] = []
  for (const folder of runs) {
    const run = await readPastRun(await readRun(folder), { most: MOST_EXECUTIONS })
    past.push({ ...run, seen: seenIn(run.reader, run.ledger) })
  }
  const common = commonFacts(past)
  const seen = past.map((each) => each.seen)
  const limits = areLimited(seen) ? ((await options.readLimits?.(runs)) ?? []) : []
  const learned = twinOf(learnCrew(seen, limits))
  const agreement = await compared(past, learned, session)
  const document = twinDocument({
    twin: learned,
    agreement,
    runs,
    crews: distinctCrews(placesOf(past)),
    cuts: past.flatMap(({ folder, cut }) => (cut === null ? [] : { run: folder, cut })),
    file,
    facts: facts(),
    common,
  })
  if (file !== null && document.profile !== null) await writeFile(file, document.profile)
  return document
}

/** The number of requests of all replays together, which take a few seconds. */
const REPLAYED = 120_000
const USUAL_REPLAYS = { least: 5, most: 20 }

/** Null without a profile, or if no replay was asked for or made. */
async function compared(
  past: readonly ReadRun[],
  twin: Twin,
  { options, trials }: TwinSession,
): Promise<Agreement | null> {
  const { seed = SEED } = options
  const text = fileOf(twin, null)
  const seen = twin.learned.runs
  const count = options.replays ?? replaysOf(seen)
  if (text === null || count === 0) return null
  prepareHdr()
  const folder = await temporaryFolder('twin')
  const replays: SeenRun[][] = []
  try {
    const profile = join(folder.path, 'twin.yaml')
    await writeFile(profile, text)
    await trials.unkept('replays', async (trial) => {
      for (let i = 0; i < count; i++) {
        trials.stands({ doing: `replay ${i + 1} of ${count} on the twin` })
        const runs: SeenRun[] = []
        for (const [at, each] of past.entries()) {
          const run = await replayed(each, { trial, profile, seed: seed + 1_000 * i + at })
          if (run === null) return null
          runs.push(run)
        }
        replays.push(runs)
      }
      return null
    })
    return replays.length < 2 ? null : agreementOf(seen, replays)
  } finally {
    await folder.remove()
  }
}

function replaysOf(runs: readonly SeenRun[]): number {
  const size = sumBy(runs, ({ requests }) => requests.kickoff.length + requests.status.length)
  const fitting = Math.round(REPLAYED / Math.max(1, size))
  return Math.min(USUAL_REPLAYS.most, Math.max(USUAL_REPLAYS.least, fitting))
}

/**
 * Replays a run on the twin with the polling, the retries and the deadline of that run, and
 * observes it in the same way. Null when the study was stopped meanwhile.
 */
async function replayed(
  past: ReadRun,
  { trial, profile, seed }: { trial: Trial; profile: string; seed: number },
): Promise<SeenRun | null> {
  const { speed, truth } = past.seen
  const options: RunOptions = { profile, engine: 'virtual', seed, speed, out: false }
  const scenario = { name: 'replay', arrivals: { rate: '1/s', for: '1s' }, inputs: {} }
  const plan = await planOf(await loaded(scenario), options)
  const reader = new RunReader(MOST_EXECUTIONS)
  const changes = changesOf(past, plan)
  const onLine = (line: JournalLine): void => reader.saw(line)
  const end = await trial.run({ scenario, plan, changes, options, onLine })
  if (end === null || end.isCut) return null
  return seenIn(reader, truth === 'ledger' ? end.ledger : null)
}

/**
 * The changes of the plan. Clients of a closed load are not replayed by time, since they come back
 * as soon as the twin lets them.
 */
function changesOf({ reader, seen }: ReadRun, base: Plan): Partial<Plan> {
  const plan = reader.first?.plan ?? base
  const { arrivals, polling, retry, honourRetryAfter, deadlineMicros, human, paths } = plan
  const offsetsMicros = seen.executions.map(({ record }) => record.intendedMicros)
  const first = Math.min(0, ...offsetsMicros)
  return {
    arrivals:
      arrivals.kind === 'closed'
        ? { ...arrivals, iterations: seen.executions.length }
        : { kind: 'replay', offsetsMicros: offsetsMicros.map((at) => at - first) },
    polling,
    retry,
    honourRetryAfter,
    deadlineMicros,
    human,
    notFoundGraceMicros: plan.notFoundGraceMicros,
    warmUpMicros: 0,
    ...(paths === undefined ? {} : { paths }),
    admission: { maxInFlight: null, whenFull: 'queue' },
    confirmShare: 0,
    thresholds: [],
    circuit: null,
    budget: { ...NO_LIMITS, wallMicros: null },
  }
}

interface ReadRun extends PastRun {
  seen: SeenRun
}

const ONE_REPLAY: Mistake = {
  source: '--replays',
  found: '1',
  problem: 'does not show how much replays vary: expected 0, or at least 2',
}

/** Throws UserError with every mistake. */
async function designTwin(options: TwinOptions): Promise<TwinPlan> {
  const { runs, file, replays } = options
  const mistakes: Mistake[] = []
  if (runs.length === 0) {
    mistakes.push({ source: 'RUN', problem: 'expected at least one run folder' })
  }
  if (replays !== undefined) {
    mistakes.push(...notWhole('--replays', replays, REPLAYS.least, REPLAYS.most))
    if (replays === 1) mistakes.push(ONE_REPLAY)
  }
  if (file !== undefined) mistakes.push(...(await faultsOfFile(file)))
  await storedRuns(runs, mistakes, options)
  if (mistakes.length > 0) throw new UserError(mistakes)
  return { runs, file: file ?? null, replays: replays ?? null }
}

/** Finds what would prevent the file from being written, because that happens last. */
async function faultsOfFile(file: string): Promise<Mistake[]> {
  const mistake = (problem: string): Mistake[] => [
    { source: flagName(TWIN.file), found: file, problem },
  ]
  if (!/\.ya?ml$/.test(file)) return mistake('expected a file that ends in .yaml or .yml')
  const known = await stat(file).catch(() => null)
  if (known?.isDirectory() === true) return mistake('is a folder; expected a file')
  const folder = await stat(dirname(file)).catch(() => null)
  return folder?.isDirectory() === true ? [] : mistake(`there is no folder ${dirname(file)}`)
}
