/**
 * Conducts the study of a twin: reads the runs, writes the profile, and says in the document how
 * good it is.
 */
import { plural } from '../../../result/metrics/format.ts'
import { readsOnly } from '../../frame/conduct/conducting.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { prepareHdr } from '../../../result/counting/histograms/hdr.ts'
import { temporaryFolder } from '../../../run/folder/temporary.ts'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import type { Conducting, Session, StudyOutcome } from '../../frame/conduct/conducting.ts'
import { resumable } from '../../frame/conduct/resume.ts'
import { oneSpeed } from '../../frame/time-lapse.ts'
import { agreementOf } from '../analyse/agreement.ts'
import type { Twin } from '../analyse/analyse.ts'
import { fileOf, twinDocument, twinOf } from '../analyse/analyse.ts'
import { areLimited, learn } from '../analyse/learn/learn.ts'
import type { SeenRun } from '../analyse/seen.ts'
import type { Agreement, TwinDocument } from '../document.ts'
import type { TwinOptions, TwinPlan } from '../plan.ts'
import { designTwin } from '../plan.ts'
import { twin as study } from '../study.ts'
import { replayed } from './replay.ts'
import type { PastRun } from './runs.ts'
import { readPastRun } from './runs.ts'

const kept = z.object({
  runs: z.array(z.string()),
  file: z.string().optional(),
  replays: z.number().optional(),
  seed: z.number().optional(),
})

const conducting: Conducting<TwinOptions, TwinPlan, TwinPlan, TwinDocument> = {
  study,
  kept,
  design: designTwin,
  plan: (plan) => plan,
  name: () => 'twin',
  ...readsOnly(1),
  measure: measured,
}

/**
 * Learns a fake crew from recorded runs and writes its profile. Throws as `conductStudy`, and what
 * `writeFile` throws.
 */
export async function learnTwin(options: TwinOptions): Promise<StudyOutcome<TwinDocument>> {
  return conductStudy(conducting, options)
}

export const resumeTwin = resumable(conducting)

const DEFAULT_SEED = 42

type TwinSession = Session<TwinOptions, TwinPlan>

async function measured(session: TwinSession): Promise<TwinDocument> {
  const { options, design, facts } = session
  const { runs, file } = design
  const past: PastRun[] = []
  for (const folder of runs) past.push(await readPastRun(folder))
  oneSpeed(
    past.map(({ folder, seen: { speed } }) => ({ folder, speed })),
    'RUN',
  )
  const seen = past.map((each) => each.seen)
  const limits = areLimited(seen) ? ((await options.readLimits?.(runs)) ?? []) : []
  const learned = twinOf(learn(seen, limits))
  const agreement = await compared(past, learned, session)
  const document = twinDocument({
    twin: learned,
    agreement,
    runs,
    // A fake crew gets another port in each run.
    crews: past.map(({ profile, target }) => profile ?? target),
    cuts: past.flatMap(({ folder, cut }) => (cut === null ? [] : { run: folder, cut })),
    file,
    facts: facts(),
    origin: originOf(past),
  })
  if (file !== null && document.profile !== null) await writeFile(file, document.profile)
  return document
}

function originOf(past: readonly PastRun[]): Parameters<typeof twinDocument>[0]['origin'] {
  return {
    target: only(past.map(({ target }) => target)) ?? plural(past.length, 'run'),
    profile: only(past.map(({ profile }) => profile)),
    scenario: only(past.map(({ scenario }) => scenario)),
    seed: only(past.map(({ seed }) => seed)),
  }
}

function only<T>(values: readonly T[]): T | null {
  return new Set(values).size === 1 ? values[0]! : null
}

/** The number of requests of all replays together, which take a few seconds. */
const REPLAYED = 120_000
const REPLAYS = { least: 5, most: 20 }

/** Null without a profile, or if no replay was asked for or made. */
async function compared(
  past: readonly PastRun[],
  twin: Twin,
  { options, trials }: TwinSession,
): Promise<Agreement | null> {
  const { seed = DEFAULT_SEED, onStep } = options
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
    await trials.unkept('replays', async ({ signal }) => {
      for (let i = 0; i < count; i++) {
        if (signal.aborted) break
        replays.push(await replayedAll(past, profile, seed + 1_000 * i))
        onStep?.({ what: 'replays on the twin', done: i + 1, of: count })
      }
      return null
    })
    return replays.length < 2 ? null : agreementOf(seen, replays)
  } finally {
    await folder.remove()
  }
}

function replaysOf(runs: readonly SeenRun[]): number {
  const size = runs.reduce((sum, { requests }) => sum + requests.length, 0)
  const fitting = Math.round(REPLAYED / Math.max(1, size))
  return Math.min(REPLAYS.most, Math.max(REPLAYS.least, fitting))
}

async function replayedAll(
  past: readonly PastRun[],
  profile: string,
  seed: number,
): Promise<SeenRun[]> {
  const runs: SeenRun[] = []
  for (const [at, each] of past.entries()) runs.push(await replayed(each, profile, seed + at))
  return runs
}
