/** Probes the operations, one after another, until the inference has enough, or may not go on. */
import { assert } from '../../../base/assert.ts'
import { createRandom } from '../../../base/random.ts'
import { formatCount, formatMs, plural } from '../../../base/numbers.ts'
import { LOST_AFTER } from '../../frame/conduct/conducting.ts'
import { Inference } from '../analyse/infer/inference.ts'
import type {
  Conclusion,
  Experiment,
  LimitEvidence,
  ProbedOperation,
} from '../analyse/infer/interface.ts'
import { laterBy } from '../analyse/infer/interface.ts'
import { lastsMs, plannedRequests } from '../analyse/infer/plan/plans.ts'
import { UNTRIED } from '../analyse/operation.ts'
import type { LimitedOperation, LimitScope, LimitsPlan } from '../document.ts'
import { MOST_PAUSE_MS } from '../document.ts'
import { LIMITED_OPERATIONS } from '../../frame/limiter-kinds.ts'
import type { LimitsOptions } from '../options.ts'
import { DEFAULTS } from '../options.ts'
import { keptFor, MOST_INPUTS, MOST_TO_EXHAUST, reservedFor, SCOPE_KEEPS } from '../plan.ts'
import type { Prober } from './prober.ts'
import { findScope, rest } from './scope.ts'
import type { ListedInput } from '../../../crew/observation.ts'
import { readInputs } from '../../../crew/read.ts'
import { TargetError } from '../../../run/errors.ts'
import { demandUsable, noKickoffId } from '../../../run/target/preflight.ts'
import { flaggedInputsRefused, inputsOr } from '../../../run/target/refused-inputs.ts'
import { retryAfterMs } from '../analyse/infer/evidence/promise.ts'

/** One after another: each probe of one could use up the limit of another. */
export async function eachOperation(
  prober: Prober,
  plan: LimitsPlan,
  options: LimitsOptions,
  seed: number,
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
      if (sharesWith(each, operation) !== false) await rest(prober, each.conclusion.rateLimit)
    }
    const turn = {
      operation,
      beganAfterMs,
      afterMs: isShared ? beganAfterMs : -Infinity,
      earlier: isShared ? [] : earlierThan(operation, operations, prober),
      reserved: reservedFor(later, spare),
      kept: keptFor(later, spare),
    }
    const conclusion = await inferred(prober, turn, options, seed)
    const others = plan.operations.filter((each) => each !== operation && each !== 'kickoff')
    const isLimited = conclusion.outcome === 'settled' && conclusion.rateLimit.kind !== 'none'
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
  seed: number,
): Promise<Conclusion> {
  const { client } = prober
  const sent = (): LimitEvidence =>
    prober.evidence(operation).filter(({ sentMs }) => sentMs > afterMs)
  const began = sent().find(({ sentMs }) => sentMs > beganAfterMs)
  const clock = experimentClock(began?.sentMs ?? client.nowMs())
  const evidence = (): LimitEvidence => clock.evidence(sent())
  const maxRequests = evidence().length + Math.max(prober.left(operation) - reserved, 0)
  const inference = new Inference(
    {
      maxRequests,
      maxPauseMs: MOST_PAUSE_MS,
      ...(operation === 'inputs' ? { mostAtOnce: MOST_INPUTS } : {}),
      mostToTest: MOST_TO_EXHAUST,
      sustainMs: options.sustainMs ?? DEFAULTS.sustainMs,
      sustainKeeps: SCOPE_KEEPS + forLater,
      earlier,
      ...(options.ignoreHeaders === true ? { readHeaders: false } : {}),
    },
    createRandom(seed).fork(operation),
  )
  for (;;) {
    if (prober.signal.aborted) return stopped(prober, inference.conclude(evidence()))
    const next = inference.next(evidence(), clock.from(client.nowMs()))
    if (next.kind === 'conclusion') return next
    const requests = plannedRequests(next)
    const waitMs = lastsMs(next, clock.from(client.nowMs()))
    assert(requests > 0, 'an experiment sends something')
    if (client.nowMs() + waitMs > prober.endMs) {
      return unfinished('time-spent', inference.conclude(evidence()))
    }
    const spent = client.budget.spent.requests
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

/** A clock whose zero is the first experiment of an operation. */
interface ExperimentClock {
  from(ms: number): number
  evidence(evidence: LimitEvidence): LimitEvidence
  /** Back on the clock of the study. */
  experiment(experiment: Experiment): Experiment
}

/** What begins within this time from the zero of the study's clock may stay on it. */
const NEAR_MS = 10_000

/**
 * The search for windows keeps their beginnings near 0, and evidence may lie hours from the zero of
 * the study's clock, or before it where an earlier process gathered it. `beganMs`: the first
 * experiment, on the clock of the study.
 */
export function experimentClock(beganMs: number): ExperimentClock {
  const zeroMs = beganMs >= 0 && beganMs < NEAR_MS ? 0 : beganMs
  return {
    from: (ms) => ms - zeroMs,
    evidence: (evidence) => evidence.map((one) => laterBy(-zeroMs, one)),
    experiment: (experiment) => ({ ...experiment, startMs: experiment.startMs + zeroMs }),
  }
}

/** What is sent here is evidence as well. Throws TargetError, and UserError for inputs. */
async function prepare(prober: Prober, plan: LimitsPlan, options: LimitsOptions): Promise<void> {
  const listed = await greet(prober, options.run.tokensFrom)
  prober.inputs = inputsOr(options.inputs, listed, options.onNote)
  prober.kickoffId = options.kickoffId ?? prober.kickoffId
  if (!plan.operations.includes('status') || prober.kickoffId !== null) return
  await startOne(prober)
}

/** Where a refusal does not say how long to wait; twice as long after each further one. */
const FIRST_WAIT_MS = 1_000
const GROWTH = 2

/**
 * Until one kickoff is accepted: the limit that is looked for may refuse it, since what was asked
 * before has used it up.
 */
async function startOne(prober: Prober): Promise<void> {
  const { client, signal } = prober
  for (let guessMs = FIRST_WAIT_MS; ; guessMs *= GROWTH) {
    const asked = await prober.ask('kickoff')
    if (prober.kickoffId !== null || signal.aborted) return
    const found = `POST ${prober.ways.paths.kickoff} answered ${asked?.observed.status ?? 'nothing'}`
    if (asked?.answer.status === 422) throw flaggedInputsRefused(prober.inputs, asked.answer)
    if (asked?.observed.answer !== 'refused') throw noKickoffId(client.target, found)
    const waitMs = retryAfterMs(asked.observed) ?? guessMs
    if (prober.left('kickoff') < 1 || waitMs > MOST_PAUSE_MS) {
      throw new TargetError(client.target, REFUSED, found)
    }
    await client.sleepUntil(client.nowMs() + waitMs, signal)
  }
}

const REFUSED =
  'the kickoff that status needs was refused, as by a rate limit. Try again later, give ' +
  '--kickoff-id of an execution that exists, or allow more attempts with --max-kickoffs'

/** Asks for the inputs with each token. Returns those that the crew lists. */
async function greet(
  prober: Prober,
  tokensFrom: string | undefined,
): Promise<readonly ListedInput[]> {
  const { target, tokens } = prober.client
  const inputsPath = prober.ways.paths.inputs
  let listed: readonly ListedInput[] = []
  for (let token = 0; token < tokens; token++) {
    const asked = await prober.ask('inputs', { token })
    if (asked === null) return listed
    const { answer, observed } = asked
    // A limiter that refuses at once is what is looked for, with 403 too if it asks to wait.
    if (observed.answer === 'refused') continue
    demandUsable(target, answer, { token, tokens, tokensFrom }, inputsPath)
    listed = readInputs(answer).listed ?? listed
  }
  return listed
}
