/**
 * Who shares a limit: once an operation is refused, does another token still get through, and does
 * another operation? Each of them may have a limit of its own, which its own requests use up.
 */
import type { LimitScope, LimitedOperation } from '../document.ts'
import type { Conclusion, Finding } from '../analyse/infer/interface.ts'
import { followedIn } from '../analyse/infer/headers/follow.ts'
import type { Told } from '../analyse/infer/headers/promise.ts'
import { toldIn } from '../analyse/infer/headers/promise.ts'
import { forgottenAfterMs } from '../analyse/infer/steady-client.ts'
import { EACH_BESIDE, MARGIN, MOST_TO_EXHAUST } from '../plan/steps.ts'
import type { Prober } from './prober.ts'

/** A block that lasts longer is not provoked once more to learn this. */
const LONGEST_BLOCK_MS = 60_000
/** A limit of fewer requests is used up by those that look whether it is. */
const SMALL = 4

const UNTRIED: LimitScope = { token: null, address: null, sharedWith: null, tried: [] }

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
  const withTokens = prober.client.tokens > 1
  const asked = others.filter((other) => prober.left(other) > 1)
  const cost = (size ?? 0) + EACH_BESIDE * (asked.length + (withTokens ? 1 : 0))
  if (size === null || cost > prober.left(operation) || prober.signal.aborted) return UNTRIED
  const pause = size - MARGIN < SMALL ? () => rest(prober, finding) : () => Promise.resolve()
  await rest(prober, finding)
  const open: LimitedOperation[] = []
  for (const other of asked) {
    if (await isAccepted(prober, other)) open.push(other)
    await pause()
  }
  const tokenWasOpen = withTokens && (await isAccepted(prober, operation, 1))
  if (withTokens) await pause()
  const answers = await prober.burst(operation, size)
  if (!answers.some(({ answer }) => answer === 'refused')) return UNTRIED
  // All are asked before any is asked again: by then the limit is no longer used up.
  const tokenIsOpen = tokenWasOpen ? await isAccepted(prober, operation, 1) : null
  const areOpen = new Map<LimitedOperation, boolean>()
  for (const other of open) areOpen.set(other, await isAccepted(prober, other))
  const isShared = async (isOpen: boolean, asks: Asks): Promise<boolean | null> => {
    if (isOpen) return false
    return (await isOpenAlone(prober, finding, asks, pause)) ? true : null
  }
  const tokenIsShared =
    tokenIsOpen === null
      ? null
      : await isShared(tokenIsOpen, () => isAccepted(prober, operation, 1))
  const shared = await sharedAmong(open, (other) =>
    isShared(areOpen.get(other)!, () => isAccepted(prober, other)),
  )
  return {
    token: tokenIsShared === null ? null : !tokenIsShared,
    address: null,
    ...withOthers(shared, asked),
  }
}

type Asks = () => Promise<boolean>

/** What was refused after the limit had been used up is open at the same pace when it was not. */
async function isOpenAlone(
  prober: Prober,
  finding: Finding,
  asks: Asks,
  pause: () => Promise<void>,
): Promise<boolean> {
  await rest(prober, finding)
  if (!(await asks())) return false
  await pause()
  return asks()
}

interface Shared {
  shut: LimitedOperation[]
  tried: LimitedOperation[]
}

async function sharedAmong(
  operations: readonly LimitedOperation[],
  isShared: (other: LimitedOperation) => Promise<boolean | null>,
): Promise<Shared> {
  const shut: LimitedOperation[] = []
  const tried: LimitedOperation[] = []
  for (const other of operations) {
    const answer = await isShared(other)
    if (answer !== null) tried.push(other)
    if (answer === true) shut.push(other)
  }
  return { shut, tried }
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
  let left = await leftAfter(prober, operation, counted.key)
  /** Whether something else is sent with it lowers the count by one more; null for neither. */
  const fallsBy = async (send: () => Promise<unknown>): Promise<number | null> => {
    await send()
    const next = await leftAfter(prober, operation, counted.key)
    const fall = left === null || next === null ? null : left - next
    left = next
    return fall
  }
  // Where time restores some within a round trip, or others use the limit, a count tells nothing.
  if ((await fallsBy(async () => {})) !== 1) return UNTRIED
  const tokenFall = withTokens ? await fallsBy(async () => prober.send(operation, 1)) : null
  const token = tokenFall === 1 ? true : tokenFall === 2 ? false : null
  const shared = await sharedAmong(others, async (other) => {
    const fall = await fallsBy(async () => prober.send(other))
    return fall === 2 ? true : fall === 1 ? false : null
  })
  return { token, address: null, ...withOthers(shared, others) }
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

async function isAccepted(
  prober: Prober,
  operation: LimitedOperation,
  token = 0,
): Promise<boolean> {
  return (await prober.send(operation, token))?.answer === 'accepted'
}
