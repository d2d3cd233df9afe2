/**
 * Who shares a limit: once an operation is refused, does another token still get through, another
 * execution, another operation? Each may have a limit of its own, which its own requests use up.
 */
import type { LimitedOperation, LimitScope, RateLimit } from '../document.ts'
import type { Conclusion, LimitEvidence } from '../analyse/infer/interface.ts'
import { UNTRIED } from '../analyse/operation.ts'
import { followedIn } from '../analyse/infer/headers/follow.ts'
import type { HeaderCount } from '../analyse/infer/evidence/promise.ts'
import { countsIn, countOf } from '../analyse/infer/evidence/promise.ts'
import { forgottenAfterMs } from '../analyse/infer/steady-client.ts'
import { AT_LAST, MARGIN, MOST_BESIDE, MOST_TO_EXHAUST } from '../plan.ts'
import type { Asking, Prober } from './prober.ts'

/** A block that lasts longer is not provoked once more to learn this. */
const LONGEST_BLOCK_MS = 60_000
/** The status of an answer about an execution that exists. */
const KNOWN = 200
/** A limit of fewer requests is used up by those that look whether it is. */
const SMALL = 4

/** What may use up the same limit: another operation, or the same one in another way. */
interface Beside {
  what: 'path' | 'token' | 'operation'
  operation: LimitedOperation
  asking: Pick<Asking, 'token' | 'isOfAnother'>
}

/** In the order in which they are asked. A path of one operation alone is that operation. */
function besides(
  operation: LimitedOperation,
  others: readonly LimitedOperation[],
  tokens: number,
): Beside[] {
  const all: Beside[] = []
  if (operation === 'status') all.push({ what: 'path', operation, asking: { isOfAnother: true } })
  if (tokens > 1) all.push({ what: 'token', operation, asking: { token: 1 } })
  for (const other of others) all.push({ what: 'operation', operation: other, asking: {} })
  return all
}

/** Whether each that was asked uses up the limit; null where that is not known. */
type LimitSharing = Map<Beside, boolean | null>

/** No operation is said to share the limit unless it is known of all that were asked. */
function scopeOf(shared: LimitSharing): LimitScope {
  const of = (what: Beside['what']) => [...shared].filter(([each]) => each.what === what)
  const isApart = (what: Beside['what']): boolean | null => {
    const isShared = of(what)[0]?.[1] ?? null
    return isShared === null ? null : !isShared
  }
  const others = of('operation')
  const known = others.filter(([, isShared]) => isShared !== null)
  const sharing = others.filter(([, isShared]) => isShared === true)
  const names = (list: typeof others) => list.map(([{ operation }]) => operation)
  const areTried = others.length > 0 && known.length === others.length
  return {
    token: isApart('token'),
    path: isApart('path'),
    sharedWith: areTried ? names(sharing) : null,
    tried: names(known),
  }
}

/** Sends at most a few requests more than the limit allows at once. */
export async function findScope(
  prober: Prober,
  operation: LimitedOperation,
  { rateLimit, headers }: Pick<Conclusion, 'rateLimit' | 'headers'>,
  others: readonly LimitedOperation[],
): Promise<LimitScope> {
  const counted = headers?.truthful === false ? null : followedIn(prober.evidence(operation))
  const wanted = besides(operation, others, prober.client.tokens)
  if (counted !== null) return countedScope(prober, operation, rateLimit, counted, wanted)
  const size = burstToExhaust(rateLimit)
  if (size === null || prober.signal.aborted) return UNTRIED
  const atOnce = enoughBeside(rateLimit, prober.evidence(operation))
  const most = Math.floor((prober.left(operation) - size - AT_LAST) / (2 * (1 + atOnce)))
  const all = wanted.slice(0, Math.max(0, most))
  if (all.length === 0) return UNTRIED
  const pause = size - MARGIN < SMALL ? () => rest(prober, rateLimit) : () => Promise.resolve()
  await rest(prober, rateLimit)
  const open: Beside[] = []
  for (const each of all) {
    if (await isAccepted(prober, each)) open.push(each)
    await pause()
  }
  const areShut = await shutBeside(prober, { operation, rateLimit, size, atOnce, open })
  if (areShut === null) return UNTRIED
  const shared: LimitSharing = new Map(all.map((each) => [each, areShut.get(each) ?? null]))
  for (const [each, isShut] of areShut) {
    if (isShut !== true) continue
    shared.set(each, await isOpenAlone(prober, rateLimit, each, { atOnce, pause }))
  }
  const scope = scopeOf(shared)
  return scope.path === true ? { ...scope, path: await isLimited(prober, all[0]!, size) } : scope
}

/**
 * Whether another execution has a limit of its own, and was not let in because nothing limits what
 * is asked about one that nobody knows. Null where that is not known.
 */
async function isLimited(
  prober: Prober,
  { operation, asking }: Beside,
  size: number,
): Promise<true | null> {
  const first = await prober.send(operation, asking)
  if (first === null) return null
  if (first.answer === 'refused' || first.status === KNOWN) return true
  if (size > prober.left(operation)) return null
  const answers = await prober.burst(operation, size, asking).all
  return answers.some(({ answer }) => answer === 'refused') ? true : null
}

interface UsedUp {
  operation: LimitedOperation
  rateLimit: RateLimit
  /** So many at once use the limit up. */
  size: number
  atOnce: number
  /** What was let in before. */
  open: readonly Beside[]
}

/** Which of them are refused once the limit is used up; null where it was not used up. */
async function shutBeside(
  prober: Prober,
  { operation, rateLimit, size, atOnce, open }: UsedUp,
): Promise<LimitSharing | null> {
  // Not even those that are held back are waited for: by their answers, the limit has room again.
  const burst = prober.burst(operation, size)
  if (!(await burst.isRefused)) return null
  const eachMs = eachIn(rateLimit)
  const shut: LimitSharing = new Map()
  // All are asked before any answer comes: one that is held back would keep the others waiting.
  const gained = gainedIn(prober.client.nowMs() - burst.sentMs, eachMs)
  const asked = open.map((each) => prober.burst(each.operation, atOnce, each.asking).all)
  for (const [i, each] of open.entries()) {
    const answers = await asked[i]!
    const accepted = answers.filter(({ answer }) => answer === 'accepted').length
    shut.set(each, accepted === 0 ? true : accepted > gained ? false : null)
  }
  // A window may have begun meanwhile: what was let in then shows nothing.
  if (eachMs === null && (await isAccepted(prober, { operation, asking: {} })))
    for (const [each, isShut] of shut) shut.set(each, isShut === false ? null : isShut)
  await burst.all
  return shut
}

/** A round trip before and one after: meanwhile a bucket lets in more. */
const TRIPS = 2
/** From this share of the time of one on, it may have come: it was on its way before. */
const COMING = 0.2

/** The time in which one more is let in; null for windows, which let in many at once. */
function eachIn({ ratePerSecond, kind, limit, windowMs }: RateLimit): number | null {
  if (ratePerSecond !== null) return 1_000 / ratePerSecond.high
  return kind === 'sliding-counter' ? windowMs!.low / limit!.high : null
}

function gainedIn(ms: number, eachMs: number | null): number {
  return eachMs === null ? 0 : Math.floor(ms / eachMs + 1 - COMING)
}

/** Requests at once that a bucket does not let in for what it has gained, where it is shared. */
function enoughBeside(rateLimit: RateLimit, evidence: LimitEvidence): number {
  const trips = evidence.map(({ sentMs, receivedMs, answer }) =>
    answer === 'refused' ? receivedMs - sentMs : 0,
  )
  const tripMs = Math.max(0, ...trips)
  return Math.min(MOST_BESIDE, 1 + gainedIn(TRIPS * tripMs, eachIn(rateLimit)))
}

/** What was refused after the limit had been used up is open at the same pace when it was not. */
async function isOpenAlone(
  prober: Prober,
  rateLimit: RateLimit,
  each: Beside,
  { atOnce, pause }: { atOnce: number; pause: () => Promise<void> },
): Promise<true | null> {
  await rest(prober, rateLimit)
  if (!(await isAccepted(prober, each))) return null
  await pause()
  const answers = await prober.burst(each.operation, atOnce, each.asking).all
  return answers.some(({ answer }) => answer === 'accepted') ? true : null
}

/** Where fewer requests are left, the limit could be used up meanwhile. */
const LEAST_LEFT = 8

function isToken({ what }: Beside): boolean {
  return what === 'token'
}

/** By what headers count: whatever uses up the same limit lowers what is left of it. */
async function countedScope(
  prober: Prober,
  operation: LimitedOperation,
  rateLimit: RateLimit,
  counted: HeaderCount,
  wanted: readonly Beside[],
): Promise<LimitScope> {
  if (2 + 2 * wanted.length > prober.left(operation) || prober.signal.aborted) return UNTRIED
  if (counted.left! < LEAST_LEFT) await rest(prober, rateLimit)
  const eachMs = eachIn(rateLimit)
  let left = await leftAfter(prober, operation, counted.key)
  let countedMs = prober.client.nowMs()
  /** By how much the count is lower after it, and whether it may have gained some meanwhile. */
  const fallsBy = async (each: Beside | null) => {
    const sent = each === null ? null : await prober.send(each.operation, each.asking)
    const isCounted = countsIn(sent?.headers ?? {}).length > 0
    const next = await leftAfter(prober, operation, counted.key)
    const fall = left === null || next === null ? null : left - next
    const gains = gainedIn(prober.client.nowMs() - countedMs, eachMs) > 0
    left = next
    countedMs = prober.client.nowMs()
    return { fall, gains, isCounted }
  }
  // Where time restores some within a round trip, or others use the limit, a count shows nothing.
  if ((await fallsBy(null)).fall !== 1) return UNTRIED
  const shared: LimitSharing = new Map()
  for (const each of [...wanted.filter(isToken), ...wanted.filter((one) => !isToken(one))]) {
    const { fall, gains, isCounted } = await fallsBy(each)
    // What no limiter has seen, for nobody knows that execution, shows nothing of it. Two less are
    // for both requests; one less for the own alone, or because one was gained.
    const isSeen = each.what !== 'path' || isCounted
    shared.set(each, isSeen && fall === 2 ? true : isSeen && fall === 1 && !gains ? false : null)
  }
  return scopeOf(shared)
}

/** Null where the answer does not tell. */
async function leftAfter(
  prober: Prober,
  operation: LimitedOperation,
  key: string,
): Promise<number | null> {
  const answer = await prober.send(operation)
  if (answer?.answer !== 'accepted') return null
  return countOf(answer.headers, key)?.left ?? null
}

/** Null for what a burst does not use up, or what is not provoked without need. */
function burstToExhaust({ kind, limit, capacity, blockMs }: RateLimit): number | null {
  const size = capacity?.high ?? limit?.high ?? null
  if (size === null || size > MOST_TO_EXHAUST) return null
  if (kind === 'penalty' && (blockMs?.high ?? Infinity) > LONGEST_BLOCK_MS) return null
  return Math.ceil(size) + MARGIN
}

/** Until what was sent before has surely been forgotten. */
export async function rest({ client, signal }: Prober, rateLimit: RateLimit): Promise<void> {
  await client.sleepUntil(client.nowMs() + forgottenAfterMs(rateLimit), signal)
}

async function isAccepted(
  prober: Prober,
  { operation, asking }: Pick<Beside, 'operation' | 'asking'>,
): Promise<boolean> {
  return (await prober.send(operation, asking))?.answer === 'accepted'
}
