/** A study of limits, wired: plan, target, experiments one after another, document. */
import { commonPlace } from '../../frame/study-place.ts'
import { placeText } from '../../../report/frame/place-text.ts'
import { distinct, endsWithRun, targetOf } from '../../../execution/record/crew-place.ts'
import { createRandom, hashText } from '../../../base/random.ts'
import { SendingBudget } from '../../../engine/sending-budget.ts'
import { waysOf } from '../../../run/target/ways.ts'
import type { Conducting, Session } from '../../frame/conduct/conducting.ts'
import { limitsDocument } from '../analyse/limits.ts'
import { UNTRIED } from '../analyse/operation.ts'
import type { LimitsDocument, LimitsPlan } from '../document.ts'
import { Inference } from '../analyse/infer/inference.ts'
import type { ProbedOperation, LimiterAnswer } from '../analyse/infer/interface.ts'
import type { LimitsOptions } from '../options.ts'
import { LIMITS } from '../options.ts'
import { SEED } from '../../frame/options.ts'
import { planLimits } from '../plan.ts'
import { limits } from '../study.ts'
import type { Client } from './client.ts'
import { openClient } from './client.ts'
import { sumBy } from '../../../result/statistics/moments.ts'
import { MOST_PAUSE_MS } from '../document.ts'
import type { KeptProbe } from './prober.ts'
import { keepProbe, readProbes, Prober } from './prober.ts'
import { eachOperation } from './probing.ts'
import { resolve } from 'node:path'
import { UserError } from '../../../base/mistakes.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS, optionalMs } from '../../../base/units.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'
import { BODY_FAULTS } from '../../../crew/observation.ts'
import type { PastRun } from '../../frame/conduct/past-runs.ts'
import { readPastRun, placesOf } from '../../frame/conduct/past-runs.ts'
import { readRun } from '../../../run/folder/stored.ts'
import { oneSpeed } from '../../frame/time-lapse.ts'
import { WHEN_LOST } from '../sentences/reasons.ts'
import { classOf, laterBy } from '../analyse/infer/interface.ts'

export interface LimitsDesign {
  plan: LimitsPlan
  options: LimitsOptions
}

export const conducting: Conducting<LimitsOptions, LimitsDesign, LimitsPlan, LimitsDocument> = {
  study: limits,
  table: LIMITS,
  design: async (options) => ({ plan: planLimits(options), options }),
  plan: ({ plan }) => plan,
  name: () => 'limits',
  // Another number of tokens, or another address of the target, is no other study.
  fingerprint: ({ plan }) => hashText(JSON.stringify({ ...plan, ...OTHERWISE_SAME })).toString(16),
  // A fake crew of the study ends with it: there is nothing to go on with.
  isResumable: ({ options }) => options.run.target !== undefined,
  terms: ({ plan }) => ({
    simulated: plan.engine === 'virtual',
    budget: plan.budget,
    planned: plan.from.length > 0 ? 0 : 1,
    whenLost: WHEN_LOST,
  }),
  measure: limitsDocumentOf,
}

const OTHERWISE_SAME = { place: null, steps: [], proxy: '', shortTokens: 0, shortHeaders: 0 }

type LimitsSession = Session<LimitsOptions, LimitsDesign>

async function limitsDocumentOf(session: LimitsSession): Promise<LimitsDocument> {
  const { options, design, folder, trials } = session
  const seed = options.seed ?? SEED
  if (design.plan.from.length > 0) return learned(session, seed)
  const budget = new SendingBudget(design.plan.budget)
  const client = await openClient(design.plan.engine, { options, seed, budget })
  trials.loseWith(client.died)
  const known = folder === null ? [] : await readProbes(folder, client.anchorUnixMs)
  try {
    return await probed(session, client, known, seed)
  } finally {
    await client.close()
  }
}

/**
 * Infers limits from the journals of earlier runs. Throws UserError for a folder that holds no run,
 * and for runs that met different limits.
 */
async function learned(
  { design: { plan }, facts }: LimitsSession,
  seed: number,
): Promise<LimitsDocument> {
  const runs: PastRun[] = []
  // A run that is named twice has not sent its requests twice.
  for (const folder of new Set(plan.from.map((each) => resolve(each)))) {
    runs.push(await readPastRun(await readRun(folder)))
  }
  demandOneCrew(runs)
  const pools = { status: pooled(runs, 'status'), kickoff: pooled(runs, 'kickoff') }
  // Times count from the first request.
  const firsts = Object.values(pools).map(({ requests }) => requests[0]?.sentMs ?? Infinity)
  const zeroMs = Math.min(...firsts)
  const leftOut = { status: 0, kickoff: 0 }
  const operations: ProbedOperation[] = []
  for (const operation of ['status', 'kickoff'] as const) {
    const evidence = stretchOf(pools[operation]).map((one) => laterBy(-zeroMs, one))
    leftOut[operation] = pools[operation].requests.length - evidence.length
    if (evidence.length === 0) continue
    const conclusion = new Inference({}, createRandom(seed).fork(operation)).learn(evidence)
    const unasked = { scope: UNTRIED, beganAfterMs: -Infinity, body: null }
    operations.push({ operation, conclusion, evidence, ...unasked, isRecorded: true })
  }
  return limitsDocument({
    ...facts(),
    requests: 0,
    kickoffs: 0,
    plan: { ...plan, operations: operations.map(({ operation }) => operation) },
    operations,
    recorded: {
      cuts: runs.flatMap(({ folder, cut }) => (cut === null ? [] : { run: folder, ...cut })),
      speed: oneSpeed(runs, '--from'),
      unfinished: runs.reduce((sum, { reader }) => sum + reader.unfinished, 0),
      leftOut,
    },
    place: commonPlace(placesOf(runs), runs.length),
    seed,
  })
}

/** What is known counts against the budget, and is not sent again. */
async function probed(
  { options, design: { plan }, folder, start, trials, facts }: LimitsSession,
  client: Client,
  known: readonly KeptProbe[],
  seed: number,
): Promise<LimitsDocument> {
  const began = client.nowMs()
  // One stop for all: probes that are known are evidence whether or not others follow.
  const stop = new AbortController()
  const endMs = began + (plan.maxDurationMs ?? Infinity) - sendingMs(known)
  let charge: (() => void) | null = null
  const prober = new Prober({
    client,
    inputs: options.inputs ?? {},
    ways: waysOf(options),
    correlation: `${start.id}/limits`,
    signal: stop.signal,
    endMs,
    known,
    keep: (probe) => {
      charge?.()
      if (folder !== null) keepProbe(folder, probe, client.anchorUnixMs)
    },
  })
  let charged = client.budget.spent
  const operations = await trials.unkept('probes', async (trial) => {
    charge = () => {
      const { requests, kickoffs } = client.budget.spent
      trial.sent({ requests: requests - charged.requests, kickoffs: kickoffs - charged.kickoffs })
      charged = { requests, kickoffs }
    }
    trial.signal.addEventListener('abort', () => stop.abort(), { once: true })
    void client.sleepUntil(endMs, stop.signal).then(() => stop.abort())
    try {
      // Nothing else may be waited for meanwhile: the time of a simulation passes in here alone.
      return await client.conduct(eachOperation(prober, plan, options, seed))
    } finally {
      stop.abort()
      charge()
    }
  })
  const isLost = operations?.some(({ conclusion }) => conclusion.outcome === 'lost') === true
  if (isLost) trials.lose(null)
  const isVirtual = plan.engine === 'virtual'
  return limitsDocument({
    ...facts(),
    ...client.budget.spent,
    ...(isVirtual ? { durationMs: client.nowMs() - began } : {}),
    plan,
    operations: operations ?? [],
    recorded: null,
    place: await client.crew(),
    seed,
  })
}

/** How long earlier processes of the study were sending. None of them paused for longer. */
function sendingMs(known: readonly KeptProbe[]): number {
  const times = known.flatMap(({ sentMs, receivedMs }) => [sentMs, receivedMs])
  const rising = times.toSorted((a, b) => a - b)
  const between = rising.slice(1).map((at, i) => Math.min(at - rising[i]!, MOST_PAUSE_MS))
  return sumBy(between, (ms) => ms)
}

interface ProbeGap {
  fromMs: number
  untilMs: number
}

interface PooledOperation {
  /** In order of time, which is Unix time. */
  requests: readonly LimiterAnswer[]
  /** In the order in which they begin: meanwhile others were sent. */
  gaps: readonly ProbeGap[]
}

/** A body that cannot be read came with a status that was let in. */
const LET_IN: ReadonlySet<number | string> = new Set(BODY_FAULTS)
const OK = 200

function pooled(runs: readonly PastRun[], operation: MeasuredOperation): PooledOperation {
  const known = runs.map(({ reader }) => {
    const unixMs = (micros: Micros): number => reader.zeroUnixMs + micros / MICROS_PER_MS
    const { requests, gaps } = reader.requests(operation)
    return {
      requests: requests.map(({ sentMicros, doneMicros, answer, askedMicros }) => {
        const times = { sentMs: unixMs(sentMicros), receivedMs: unixMs(doneMicros) }
        return Object.assign(times, { answer, askedMicros })
      }),
      gaps: gaps.map(({ fromMicros, untilMicros }) => {
        return { fromMs: unixMs(fromMicros), untilMs: unixMs(untilMicros) }
      }),
    }
  })
  let wasAccepted = false
  const requests = known
    .flatMap((run) => run.requests)
    .sort((a, b) => a.sentMs - b.sentMs)
    .map(({ sentMs, receivedMs, answer: read, askedMicros }): LimiterAnswer => {
      const code = LET_IN.has(read) ? OK : read
      const answer = classOf({ code, asksToWait: askedMicros !== null, wasAccepted })
      wasAccepted ||= answer === 'accepted'
      const status = typeof code === 'number' ? code : null
      const askedMs = optionalMs(askedMicros)
      return { sentMs, receivedMs, answer, status, headers: {}, askedMs }
    })
  const gaps = known.flatMap((run) => run.gaps).sort((a, b) => a.fromMs - b.fromMs)
  return { requests, gaps }
}

/** Answers of one limiter explain nothing of another. */
function demandOneCrew(runs: readonly PastRun[]): void {
  const places = placesOf(runs)
  const isOwn = places.some(endsWithRun)
  if (runs.length < 2 || (!isOwn && distinct(places.map(targetOf)).length === 1)) return
  const found = runs.map(({ folder }, i) => `${folder}: ${placeText(places[i]!)}`).join('; ')
  const expected = places.every(endsWithRun)
    ? 'one run, for each has a fake crew of its own'
    : 'runs of one crew, for each has limits of its own'
  const problem = `expected ${expected} (found ${found})`
  throw new UserError({ source: '--from', problem })
}

/**
 * The stretch between two gaps with the most refusals, and of those the one with the most requests:
 * a limit may have counted what is missing in a gap.
 */
function stretchOf({ requests, gaps }: PooledOperation): LimiterAnswer[] {
  const stretches: LimiterAnswer[][] = [[]]
  let next = 0
  for (const one of requests) {
    while (next < gaps.length && one.sentMs > gaps[next]!.untilMs) {
      next++
      stretches.push([])
    }
    if (one.receivedMs < (gaps[next]?.fromMs ?? Infinity)) stretches.at(-1)!.push(one)
  }
  const [best = []] = stretches.toSorted(
    (a, b) => refusedIn(b) - refusedIn(a) || b.length - a.length,
  )
  return best
}

function refusedIn(stretch: readonly LimiterAnswer[]): number {
  return stretch.filter(({ answer }) => answer === 'refused').length
}
