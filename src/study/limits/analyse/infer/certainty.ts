/** When a kind is certain enough to be named without reserve. */
import type { LimiterKind } from '../../../frame/limiter-kinds.ts'
import type { Belief } from './belief.ts'
import { doesServiceVary } from './evidence/timing.ts'
import type { KindShare } from './inferred-limit.ts'
import { explanationsOf } from './inferred-limit.ts'

/** A kind is named without reserve from this probability on. */
const SURE = 0.99
/**
 * Experiments that follow the last change of the best kind before it is named, and before the
 * window of a penalty is: a window of another length often explains the few blocks as well.
 */
export const CONFIRMING = 1
/** The same for kinds that fit themselves to answers which another limiter gave. */
const SURE_FLEXIBLE = 0.99999
const CONFIRMING_FLEXIBLE = 3
export const FLEXIBLE: ReadonlySet<LimiterKind> = new Set(['sliding-counter', 'penalty'])

/** Whether the probability alone is enough, and chance explains the answers far worse. */
export function isLikelyIn(belief: Belief, { kind, probability }: KindShare): boolean {
  return probability >= (isFlexible(belief, kind) ? SURE_FLEXIBLE : SURE) && belief.isNoChance
}

/** Experiments that have to follow the last change of the best kind. */
export function confirmationsFor(belief: Belief, kind: LimiterKind): number {
  return isFlexible(belief, kind) ? CONFIRMING_FLEXIBLE : CONFIRMING
}

/**
 * The phase of a counter and the length of a block can be fitted to what another client uses, and
 * so can a log that counts refused requests: each of its own refusals makes it wait longer. Where
 * late arrivals have to be excused, they may be what speaks for a log and against a window. Where
 * service varies, a limit of how many are in flight lets in more at a time of its own each time.
 * A client that asks as soon as it can takes a sliding counter of one request for a window of twice
 * the length.
 */
function isFlexible(belief: Belief, kind: LimiterKind): boolean {
  const { pool, best } = explanationsOf(belief, kind)[0]!
  const { countsRefused } = pool.hypothesis
  const isLog = kind === 'sliding-log'
  if (isLog && (countsRefused || belief.isExcused)) return true
  const isHeld = kind === 'concurrency' && doesServiceVary(belief.grouped.timing)
  const isForOne = kind === 'fixed-window' && best.parameters.limit === 1
  return isHeld || isForOne || FLEXIBLE.has(kind)
}
