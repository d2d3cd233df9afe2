/**
 * Who shares a limit: once an operation is refused, does another token still get through, and does
 * another operation?
 */
import type { LimitScope, LimitedOperation } from '../document.ts'
import type { Conclusion, Finding } from '../analyse/infer/interface.ts'
import { followedIn } from '../analyse/infer/headers/follow.ts'
import type { Told } from '../analyse/infer/headers/promise.ts'
import { toldIn } from '../analyse/infer/headers/promise.ts'
import type { Prober } from './prober.ts'

/** Beyond the limit that was found: that a burst of one request too few proves nothing. */
const MARGIN = 2
/** A block that lasts longer is not provoked once more to learn this. */
const LONGEST_BLOCK_MS = 60_000
/** A limit that takes more requests than this to use up costs others too much. */
const MOST_TO_EXHAUST = 200

const UNTRIED: LimitScope = { token: null, address: null, sharedWith: null }

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
  const cost = (size ?? 0) + asked.length * 2 + (withTokens ? 2 : 0)
  if (size === null || cost > prober.left(operation) || prober.signal.aborted) return UNTRIED
  await rest(prober, finding)
  const open = await openOnes(prober, asked)
  const tokenWasOpen = withTokens && (await isAccepted(prober, operation, 1))
  const answers = await prober.burst(operation, size)
  if (!answers.some(({ answer }) => answer === 'refused')) return UNTRIED
  const tokenIsOpen = tokenWasOpen ? await isAccepted(prober, operation, 1) : null
  const shut: LimitedOperation[] = []
  for (const other of open) {
    const answer = await prober.send(other)
    if (answer?.answer === 'refused') shut.push(other)
  }
  const tried = open.length === asked.length
  return { token: tokenIsOpen, address: null, sharedWith: tried ? shut : null }
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
  const shared: LimitedOperation[] = []
  let areTried = true
  for (const other of others) {
    const fall = await fallsBy(async () => prober.send(other))
    if (fall === 2) shared.push(other)
    else if (fall !== 1) areTried = false
  }
  return { token, address: null, sharedWith: areTried ? shared : null }
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
export async function rest(prober: Prober, finding: Finding): Promise<void> {
  const { windowMs, blockMs, ratePerSecond, capacity } = finding
  const refillMs = ratePerSecond === null ? 0 : ((capacity?.high ?? 1) / ratePerSecond.low) * 1_000
  const quietMs = Math.max(windowMs?.high ?? 0, blockMs?.high ?? 0, refillMs)
  const { client, signal } = prober
  await client.sleepUntil(client.nowMs() + quietMs, signal)
}

async function openOnes(
  prober: Prober,
  operations: readonly LimitedOperation[],
): Promise<LimitedOperation[]> {
  const open: LimitedOperation[] = []
  for (const operation of operations) {
    if (await isAccepted(prober, operation)) open.push(operation)
  }
  return open
}

async function isAccepted(
  prober: Prober,
  operation: LimitedOperation,
  token = 0,
): Promise<boolean> {
  return (await prober.send(operation, token))?.answer === 'accepted'
}
