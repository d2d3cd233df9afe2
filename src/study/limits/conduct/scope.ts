/**
 * Who shares a limit: once an operation is refused, does another token still get through, and does
 * another operation? Each of them may have a limit of its own, which its own requests use up.
 */
import type { LimitScope, LimitedOperation } from '../document.ts'
import type { Conclusion, Evidence, Finding } from '../analyse/infer/interface.ts'
import { followedIn } from '../analyse/infer/headers/follow.ts'
import type { Told } from '../analyse/infer/headers/promise.ts'
import { toldIn } from '../analyse/infer/headers/promise.ts'
import { forgottenAfterMs } from '../analyse/infer/steady-client.ts'
import { AT_LAST, MARGIN, MOST_BESIDE, MOST_TO_EXHAUST } from '../plan/steps.ts'
import type { Prober } from './prober.ts'

/** A block that lasts longer is not provoked once more to learn this. */
const LONGEST_BLOCK_MS = 60_000
/** A limit of fewer requests is used up by those that look whether it is. */
const SMALL = 4

const UNTRIED: LimitScope = { token: null, address: null, sharedWith: null, tried: [] }

/** What may use up the same limit: another operation, or the same one with another token. */
interface Beside {
  operation: LimitedOperation
  token: number
}

/** Sends at most a few requests more than the limit allows at once. */
export async function findScope(
  prober: Prober,
  operation: LimitedOperation,
  { finding, headers }: Pick<Conclusion, 'finding' | 'headers'>,
  others: readonly LimitedOperation[],
): Promise<LimitScope> {
  const counted = headers?.truthful === false ? null : followedIn(prober.evidence(operation))
  if (counted !== null) return countedScope(prober, operation, { finding, counted, others })
  const size = burstToExhaust(finding)
  const asked = others.filter((other) => prober.left(other) > 1)
  const all: Beside[] = [
    ...asked.map((other) => ({ operation: other, token: 0 })),
    ...(prober.client.tokens > 1 ? [{ operation, token: 1 }] : []),
  ]
  const atOnce = enoughBeside(finding, prober.evidence(operation))
  const cost = (size ?? 0) + AT_LAST + 2 * (1 + atOnce) * all.length
  if (size === null || cost > prober.left(operation) || prober.signal.aborted) return UNTRIED
  const pause = size - MARGIN < SMALL ? () => rest(prober, finding) : () => Promise.resolve()
  await rest(prober, finding)
  const open: Beside[] = []
  for (const each of all) {
    if (await isAccepted(prober, each)) open.push(each)
    await pause()
  }
  const areShut = await shutBeside(prober, { operation, finding, size, atOnce, open })
  if (areShut === null) return UNTRIED
  const shared = new Map<Beside, boolean | null>()
  for (const [each, isShut] of areShut) {
    const isShared =
      isShut === true ? await isOpenAlone(prober, finding, each, { atOnce, pause }) : isShut
    shared.set(each, isShared)
  }
  const token = all.find((each) => each.operation === operation)
  const tokenIsShared = token === undefined ? null : (shared.get(token) ?? null)
  return {
    token: tokenIsShared === null ? null : !tokenIsShared,
    address: null,
    ...withOthers(sharedAmong(shared, operation), asked),
  }
}

interface UsedUp {
  operation: LimitedOperation
  finding: Finding
  /** So many at once use the limit up. */
  size: number
  atOnce: number
  /** What was let in before. */
  open: readonly Beside[]
}

/**
 * Which of them are refused once the limit is used up: null for one of which that is not known, and
 * for all of them where it was not used up.
 */
async function shutBeside(
  prober: Prober,
  { operation, finding, size, atOnce, open }: UsedUp,
): Promise<Map<Beside, boolean | null> | null> {
  // Not even those that are held back are waited for: by their answers, the limit has room again.
  const burst = prober.useUp(operation, size)
  if (!(await burst.isRefused)) return null
  const eachMs = eachIn(finding)
  const shut = new Map<Beside, boolean | null>()
  // All are asked before any is asked again: by then the limit is no longer used up.
  for (const each of open) {
    const gained = gainedIn(prober.client.nowMs() - burst.sentMs, eachMs)
    const answers = await prober.useUp(each.operation, atOnce, each.token).all
    const accepted = answers.filter(({ answer }) => answer === 'accepted').length
    shut.set(each, accepted === 0 ? true : accepted > gained ? false : null)
  }
  // A window may have begun meanwhile: what was let in then tells nothing.
  const isOpenAgain = eachMs === null && (await isAccepted(prober, { operation, token: 0 }))
  if (isOpenAgain)
    for (const [each, isShut] of shut) shut.set(each, isShut === false ? null : isShut)
  await burst.all
  return shut
}

/** A round trip before and one after: meanwhile a bucket lets in more. */
const TRIPS = 2
/** From this share of the time of one on, it may have come: it was on its way before. */
const COMING = 0.2

/** The time in which one more is let in; null for windows, which let in many at once. */
function eachIn({ ratePerSecond, kind, limit, windowMs }: Finding): number | null {
  if (ratePerSecond !== null) return 1_000 / ratePerSecond.high
  return kind === 'sliding-counter' ? windowMs!.low / limit!.high : null
}

function gainedIn(ms: number, eachMs: number | null): number {
  return eachMs === null ? 0 : Math.floor(ms / eachMs + 1 - COMING)
}

/** Requests at once that a bucket does not let in for what it has gained, where it is shared. */
function enoughBeside(finding: Finding, evidence: Evidence): number {
  const trips = evidence.map(({ sentMs, receivedMs, answer }) =>
    answer === 'refused' ? receivedMs - sentMs : 0,
  )
  const tripMs = Math.max(0, ...trips)
  return Math.min(MOST_BESIDE, 1 + gainedIn(TRIPS * tripMs, eachIn(finding)))
}

/** What was refused after the limit had been used up is open at the same pace when it was not. */
async function isOpenAlone(
  prober: Prober,
  finding: Finding,
  each: Beside,
  { atOnce, pause }: { atOnce: number; pause: () => Promise<void> },
): Promise<true | null> {
  await rest(prober, finding)
  if (!(await isAccepted(prober, each))) return null
  await pause()
  const answers = await prober.burst(each.operation, atOnce, each.token)
  return answers.some(({ answer }) => answer === 'accepted') ? true : null
}

interface Shared {
  shut: LimitedOperation[]
  tried: LimitedOperation[]
}

/** Of other operations alone. */
function sharedAmong(shared: ReadonlyMap<Beside, boolean | null>, own: LimitedOperation): Shared {
  const others = [...shared].filter(([{ operation }]) => operation !== own)
  const named = (isNamed: (isShared: boolean | null) => boolean): LimitedOperation[] =>
    others.filter(([, isShared]) => isNamed(isShared)).map(([{ operation }]) => operation)
  return {
    shut: named((isShared) => isShared === true),
    tried: named((isShared) => isShared !== null),
  }
}

/** None of them is said to share the limit unless it is known of all that were asked. */
function withOthers(
  { shut, tried }: Shared,
  asked: readonly LimitedOperation[],
): Pick<LimitScope, 'sharedWith' | 'tried'> {
  const areTried = asked.length > 0 && tried.length === asked.length
  return { sharedWith: areTried ? shut : null, tried }
}

interface Counted {
  finding: Finding
  counted: Told
  others: readonly LimitedOperation[]
}

/** Where fewer requests are left, the limit could be used up meanwhile. */
const LEAST_LEFT = 8

/** By what headers count: whatever uses up the same limit lowers what is left of it. */
async function countedScope(
  prober: Prober,
  operation: LimitedOperation,
  { finding, counted, others }: Counted,
): Promise<LimitScope> {
  const withTokens = prober.client.tokens > 1
  const cost = 2 + 2 * others.length + (withTokens ? 2 : 0)
  if (cost > prober.left(operation) || prober.signal.aborted) return UNTRIED
  if (counted.left! < LEAST_LEFT) await rest(prober, finding)
  const eachMs = eachIn(finding)
  let left = await leftAfter(prober, operation, counted.key)
  let countedMs = prober.client.nowMs()
  /** By how much the count is lower after it, and whether it may have gained some meanwhile. */
  const fallsBy = async (
    send: () => Promise<unknown>,
  ): Promise<{ fall: number | null; gains: boolean }> => {
    await send()
    const next = await leftAfter(prober, operation, counted.key)
    const fall = left === null || next === null ? null : left - next
    const gains = gainedIn(prober.client.nowMs() - countedMs, eachMs) > 0
    left = next
    countedMs = prober.client.nowMs()
    return { fall, gains }
  }
  /** Two less for both requests; one less for the own alone, or because one was gained. */
  const isSharedBy = async (send: () => Promise<unknown>): Promise<boolean | null> => {
    const { fall, gains } = await fallsBy(send)
    return fall === 2 ? true : fall === 1 && !gains ? false : null
  }
  // Where time restores some within a round trip, or others use the limit, a count tells nothing.
  if ((await fallsBy(async () => {})).fall !== 1) return UNTRIED
  const token = withTokens ? await isSharedBy(async () => prober.send(operation, 1)) : null
  const shared = new Map<Beside, boolean | null>()
  for (const other of others) {
    shared.set({ operation: other, token: 0 }, await isSharedBy(async () => prober.send(other)))
  }
  return {
    token: token === null ? null : !token,
    address: null,
    ...withOthers(sharedAmong(shared, operation), others),
  }
}

/** Null where the answer does not tell. */
async function leftAfter(
  prober: Prober,
  operation: LimitedOperation,
  key: string,
): Promise<number | null> {
  const answer = await prober.send(operation)
  if (answer?.answer !== 'accepted') return null
  return toldIn(answer.headers).find((told) => told.key === key)?.left ?? null
}

/** Null for what a burst does not use up, or what is not provoked without need. */
function burstToExhaust({ kind, limit, capacity, blockMs }: Finding): number | null {
  const size = capacity?.high ?? limit?.high ?? null
  if (size === null || size > MOST_TO_EXHAUST) return null
  if (kind === 'penalty' && (blockMs?.high ?? Infinity) > LONGEST_BLOCK_MS) return null
  return Math.ceil(size) + MARGIN
}

/** Until what was sent before has surely been forgotten. */
export async function rest({ client, signal }: Prober, finding: Finding): Promise<void> {
  await client.sleepUntil(client.nowMs() + forgottenAfterMs(finding), signal)
}

async function isAccepted(prober: Prober, { operation, token }: Beside): Promise<boolean> {
  return (await prober.send(operation, token))?.answer === 'accepted'
}
