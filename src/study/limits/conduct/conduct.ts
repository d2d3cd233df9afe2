/** A study of limits, wired: plan, target, experiments one after another, document. */
import { assert } from '../../../base/assert.ts'
import { createRandom, hashText } from '../../../base/random.ts'
import { waysOf } from '../../../run/target/ways.ts'
import { formatCount, formatMs, plural } from '../../../report/frame/format.ts'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import type { Conducting, Session, StudyOutcome } from '../../frame/conduct/conducting.ts'
import { resumable } from '../../frame/conduct/resume.ts'
import { LOST_AFTER } from '../../frame/conduct/conducting.ts'
import { limitsDocument } from '../analyse/limits.ts'
import { UNTRIED } from '../analyse/operation.ts'
import type { LimitScope, LimitedOperation, LimitsDocument, LimitsPlan } from '../document.ts'
import { Inference } from '../analyse/infer/inference.ts'
import type { Conclusion, LimitEvidence, ProbedOperation } from '../analyse/infer/interface.ts'
import { lastsMs, requestsIn } from '../analyse/infer/plan/plans.ts'
import { LIMITED_OPERATIONS } from '../document.ts'
import type { LimitsOptions } from '../options.ts'
import { LIMITS } from '../options.ts'
import { planLimits } from '../plan/plan.ts'
import {
  DEFAULT_SUSTAIN_MS,
  keptFor,
  MOST_INPUTS,
  MOST_PAUSE_MS,
  MOST_TO_EXHAUST,
  reservedFor,
  SCOPE_KEEPS,
} from '../plan/steps.ts'
import { limits } from '../study.ts'
import type { Client } from './client.ts'
import { openClient } from './client.ts'
import type { KeptProbe } from './evidence-file.ts'
import { keepProbe, readProbes } from './evidence-file.ts'
import { experimentClock } from './experiment-clock.ts'
import { prepare } from './prepare.ts'
import { readRecorded } from './recorded.ts'
import { Prober } from './prober.ts'
import { findScope, rest } from './scope.ts'

const DEFAULT_SEED = 42

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
    whenLost: 'see whether the target still runs; crewload resume continues from here',
  }),
  measure: measured,
}

const OTHERWISE_SAME = { target: '', steps: [], proxy: '', shortTokens: 0 }

/** Infers the rate limits of a target. Throws as `conductStudy`. */
export async function inferLimits(options: LimitsOptions): Promise<StudyOutcome<LimitsDocument>> {
  return conductStudy(conducting, options)
}

/** Goes on with what an earlier process had sent: every probe is in the folder. */
export const resumeLimits = resumable(conducting)

type LimitsSession = Session<LimitsOptions, LimitsDesign>

async function measured(session: LimitsSession): Promise<LimitsDocument> {
  const { options, design, folder, trials } = session
  if (design.plan.from.length > 0) return learned(session)
  const client = await openClient(options, design.plan.engine, options.seed ?? DEFAULT_SEED)
  trials.loseWith(client.died)
  const known = folder === null ? [] : await readProbes(folder, client.anchorUnixMs)
  try {
    return await probed(session, client, known)
  } finally {
    await client.close()
  }
}

/** Infers limits from the journals of earlier runs. */
async function learned({
  options,
  design: { plan },
  facts,
}: LimitsSession): Promise<LimitsDocument> {
  const recorded = await readRecorded(plan.from)
  const { target, profile, unfinished, cuts, lapse } = recorded
  const seed = options.seed ?? DEFAULT_SEED
  const operations = (['status', 'kickoff'] as const).flatMap((operation): ProbedOperation[] => {
    const { evidence } = recorded[operation]
    if (evidence.length === 0) return []
    const inference = new Inference({}, createRandom(seed).fork(operation))
    return [
      {
        operation,
        conclusion: inference.learn(evidence),
        scope: UNTRIED,
        beganAfterMs: -Infinity,
        evidence,
        body: null,
        isRecorded: true,
      },
    ]
  })
  const leftOut = { status: recorded.status.leftOut, kickoff: recorded.kickoff.leftOut }
  return limitsDocument({
    ...facts(),
    requests: 0,
    kickoffs: 0,
    plan: { ...plan, operations: operations.map(({ operation }) => operation) },
    operations,
    recorded: { unfinished, cuts, lapse, leftOut },
    target,
    profile,
    seed,
  })
}

/** What is known counts against the budget, and is not sent again. */
async function probed(
  { options, design: { plan }, folder, start, trials, facts }: LimitsSession,
  client: Client,
  known: readonly KeptProbe[],
): Promise<LimitsDocument> {
  const began = client.nowMs()
  // One stop for all: probes that are known are evidence whether or not others follow.
  const stop = new AbortController()
  const endMs = began + (plan.maxDurationMs ?? Infinity)
  const prober = new Prober({
    client,
    budget: plan.budget,
    inputs: options.inputs ?? {},
    ways: waysOf(options),
    correlation: `${start.id}/limits`,
    signal: stop.signal,
    endMs,
    known,
    keep: (probe) => {
      if (folder !== null) keepProbe(folder, probe, client.anchorUnixMs)
    },
  })
  const before = prober.spent
  const operations = await trials.unkept('probes', async (trial) => {
    trial.signal.addEventListener('abort', () => stop.abort(), { once: true })
    void client.sleepUntil(endMs, stop.signal).then(() => stop.abort())
    try {
      // Nothing else may be waited for meanwhile: the time of a simulation passes in here alone.
      return await client.conduct(eachOperation(prober, plan, options))
    } finally {
      stop.abort()
      const { requests, kickoffs } = prober.spent
      trial.sent({ requests: requests - before.requests, kickoffs: kickoffs - before.kickoffs })
    }
  })
  const isLost = operations?.some(({ conclusion }) => conclusion.outcome === 'lost') === true
  if (isLost) trials.lose({ code: 'target', message: 'the target was lost', remedy: '' })
  const isVirtual = plan.engine === 'virtual'
  return limitsDocument({
    ...facts(),
    ...prober.spent,
    ...(isVirtual ? { durationMs: client.nowMs() - began } : {}),
    plan,
    operations: operations ?? [],
    recorded: null,
    target: isVirtual ? plan.target : client.target.href.replace(/\/$/, ''),
    profile: await client.profile(),
    seed: options.seed ?? DEFAULT_SEED,
  })
}

/** One after another: each probe of one could use up the limit of another. */
async function eachOperation(
  prober: Prober,
  plan: LimitsPlan,
  options: LimitsOptions,
): Promise<ProbedOperation[]> {
  await prepare(prober, plan, options)
  const operations: ProbedOperation[] = []
  for (const [index, operation] of plan.operations.entries()) {
    if (prober.signal.aborted && prober.sent(operation).length === 0) continue
    const later = plan.operations.slice(index + 1)
    const spare = { left: prober.left(operation), kickoffs: prober.left('kickoff') }
    const beganAfterMs = lastSentMs(plan.operations.slice(0, index), prober)
    // What was sent to an operation of the same limit is this study's own, not another client's.
    const isShared = operations.some((each) => sharesWith(each, operation) === true)
    for (const each of operations) {
      if (sharesWith(each, operation) !== false) await rest(prober, each.conclusion.finding)
    }
    const turn = {
      operation,
      beganAfterMs,
      afterMs: isShared ? beganAfterMs : -Infinity,
      earlier: isShared ? [] : earlierThan(operation, operations, prober),
      reserved: reservedFor(later, spare),
      kept: keptFor(later, spare),
    }
    const conclusion = await inferred(prober, turn, options)
    const others = plan.operations.filter((each) => each !== operation && each !== 'kickoff')
    const isLimited = conclusion.outcome === 'settled' && conclusion.finding.kind !== 'none'
    const scope = isLimited
      ? await findScope(prober, operation, conclusion, others)
      : scopeBefore(operations, operation)
    operations.push({
      operation,
      conclusion,
      scope,
      beganAfterMs,
      evidence: prober.sent(operation),
      body: prober.bodyOf(operation),
      isRecorded: false,
    })
    if (conclusion.outcome === 'lost') break
  }
  return operations
}

/** What others have shown of one that meets no limit of its own. */
function scopeBefore(probed: readonly ProbedOperation[], operation: LimitedOperation): LimitScope {
  const tried = probed.filter((each) => sharesWith(each, operation) !== null)
  if (tried.length === 0) return UNTRIED
  const shared = tried.filter((each) => sharesWith(each, operation) === true)
  return {
    ...UNTRIED,
    sharedWith: shared.map((each) => each.operation),
    tried: tried.map((each) => each.operation),
  }
}

/** Whether it uses up the limit of an operation that was probed before; null where not known. */
function sharesWith({ scope }: ProbedOperation, operation: LimitedOperation): boolean | null {
  if (!scope.tried.includes(operation)) return null
  return scope.sharedWith?.includes(operation) ?? null
}

/**
 * What may have used up its limit before: requests to other operations, but for those that are
 * known not to share it, with the same token or with any; with and without kickoffs.
 */
function earlierThan(
  operation: LimitedOperation,
  probed: readonly ProbedOperation[],
  prober: Prober,
): LimitEvidence[] {
  const apart = probed.filter((each) => sharesWith(each, operation) === false)
  const others = LIMITED_OPERATIONS.filter(
    (other) => other !== operation && !apart.some((each) => each.operation === other),
  )
  const polled = others.filter((other) => other !== 'kickoff')
  const kickoffs = others.filter((other) => other === 'kickoff')
  const sets = [polled, kickoffs, others].flatMap((names) => [
    names.flatMap((other) => prober.evidence(other)),
    names.flatMap((other) => prober.sent(other)),
  ])
  return sets.filter(
    (set, i) => set.length > 0 && !sets.slice(0, i).some(({ length }) => length === set.length),
  )
}

/** -Infinity where nothing was sent. */
function lastSentMs(operations: readonly LimitedOperation[], prober: Prober): number {
  const times = operations.flatMap((each) => prober.sent(each).map(({ sentMs }) => sentMs))
  return Math.max(-Infinity, ...times)
}

interface ProbeTurn {
  operation: LimitedOperation
  /** Its experiments began after this time. */
  beganAfterMs: number
  /** What was sent later is its evidence. */
  afterMs: number
  /** Requests that may have used up the same limit, set by set. */
  earlier: readonly LimitEvidence[]
  /** Requests that are kept for operations whose turn is still to come. */
  reserved: number
  /** The same, where the limit is known. */
  kept: number
}

/** With experiments until the inference has enough, or may not go on. */
async function inferred(
  prober: Prober,
  { operation, beganAfterMs, afterMs, earlier, reserved, kept: forLater }: ProbeTurn,
  options: LimitsOptions,
): Promise<Conclusion> {
  const { client } = prober
  const sent = (): LimitEvidence =>
    prober.evidence(operation).filter(({ sentMs }) => sentMs > afterMs)
  const began = sent().find(({ sentMs }) => sentMs > beganAfterMs)
  const clock = experimentClock(began?.sentMs ?? client.nowMs())
  const evidence = (): LimitEvidence => clock.evidence(sent())
  const maxRequests = evidence().length + Math.max(prober.left(operation) - reserved, 0)
  const random = createRandom(options.seed ?? DEFAULT_SEED).fork(operation)
  const inference = new Inference(
    {
      maxRequests,
      maxPauseMs: MOST_PAUSE_MS,
      ...(operation === 'inputs' ? { mostAtOnce: MOST_INPUTS } : {}),
      mostToTest: MOST_TO_EXHAUST,
      sustainMs: options.sustainMs ?? DEFAULT_SUSTAIN_MS,
      sustainKeeps: SCOPE_KEEPS + forLater,
      earlier,
      ...(options.ignoreHeaders === true ? { readHeaders: false } : {}),
    },
    random,
  )
  for (;;) {
    if (prober.signal.aborted) return stopped(prober, inference.conclude(evidence()))
    const next = inference.next(evidence(), clock.from(client.nowMs()))
    if (next.kind === 'conclusion') return withLoss(next, evidence())
    const requests = requestsIn(next)
    const waitMs = lastsMs(next, clock.from(client.nowMs()))
    assert(requests > 0, 'an experiment sends something')
    if (client.nowMs() + waitMs > prober.endMs) {
      return unfinished('time-spent', inference.conclude(evidence()))
    }
    const spent = prober.spent.requests
    const { purpose } = next
    const wait = waitMs < 1_000 ? '' : ` within ${formatMs(waitMs)}`
    const what = `${formatCount(requests)} more${wait}: ${purpose}`
    options.tell?.(`${operation}: ${plural(spent, 'request')} so far; ${what}`)
    await prober.perform(operation, clock.experiment(next))
    if (await isLost(prober, operation)) {
      return { ...inference.conclude(beforeLoss(evidence())), outcome: 'lost' }
    }
    if (prober.signal.aborted) return stopped(prober, inference.conclude(evidence()))
    if (prober.left(operation) < 1) {
      return { ...inference.conclude(evidence()), outcome: 'budget-spent' }
    }
  }
}

/** By the user, or because its time is over. */
function stopped(prober: Prober, conclusion: Conclusion): Conclusion {
  const isOver = prober.client.nowMs() >= prober.endMs
  return unfinished(isOver ? 'time-spent' : 'stopped', conclusion)
}

/** What was settled stays so. */
function unfinished(outcome: 'stopped' | 'time-spent', conclusion: Conclusion): Conclusion {
  return conclusion.outcome === 'settled' ? conclusion : { ...conclusion, outcome }
}

/** Between requests that ask whether the target is still there, and for each of their answers. */
const LOOK_AGAIN_MS = 1_000
const LOOK_MOST_MS = 5_000

/**
 * Whether nothing answers any more: after a request without an answer, single ones ask. The pauses
 * of an experiment, which a limit needs, would take minutes for that.
 */
async function isLost(prober: Prober, operation: LimitedOperation): Promise<boolean> {
  const { client, signal } = prober
  if (prober.evidence(operation).at(-1)?.status !== null) return false
  for (let i = 0; i < LOST_AFTER; i++) {
    await client.sleepUntil(client.nowMs() + LOOK_AGAIN_MS, signal)
    if (signal.aborted || prober.left(operation) < 1) return false
    const asked = await prober.ask(operation, { mostMs: LOOK_MOST_MS })
    if (asked?.observed.status !== null) return false
  }
  return true
}

/** What a target that is gone does not answer says nothing of it. */
function beforeLoss(evidence: LimitEvidence): LimitEvidence {
  return evidence.slice(0, evidence.findLastIndex(({ status }) => status !== null) + 1)
}

/** The target is lost when an operation ends with failures, without one answer. */
function withLoss(
  conclusion: Conclusion,
  evidence: readonly { answer: string; status: number | null }[],
): Conclusion {
  const last = evidence.slice(-LOST_AFTER)
  const isLost = last.length === LOST_AFTER && last.every(({ status }) => status === null)
  return isLost ? { ...conclusion, outcome: 'lost' } : conclusion
}
