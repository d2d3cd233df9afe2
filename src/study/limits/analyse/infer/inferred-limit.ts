/** What is said of a limiter, from what is believed. */
import type { Belief, Weighed } from './belief.ts'
import { isHeldBack, doesServiceVary } from './evidence/timing.ts'
import type { RequestGroup, Grouped } from './evidence/groups.ts'
import type { GroupTiming } from './evidence/timing.ts'
import type { Hypothesis, Parameters } from './hypotheses/hypothesis.ts'
import { isWithoutBlock } from './hypotheses/penalty.ts'
import type { LimiterKind } from '../../../frame/limiter-kinds.ts'
import type { ParameterEstimate, RateLimit } from '../../document.ts'
import { safePerSecond } from './steady-client.ts'
import { UNKNOWN } from './interface.ts'
import { withOpen } from '../../sentences/verdict.ts'
import { meanOf, sumBy } from '../../../../result/statistics/moments.ts'
import type { Particle, Pool } from './search/pool.ts'
import { advanceModel } from './search/replay.ts'

export type KindShare = Pick<RateLimit, 'kind' | 'probability'>

/** A block that is as long as the window, within this share, is no block of its own. */
const CLOSE = 0.07

/** Kinds with their twins, most probable first. */
export function kindShares(belief: Belief): KindShare[] {
  const shares = new Map<LimiterKind, number>()
  for (const weighed of belief.weighed) {
    const kind = className(weighed, belief)
    shares.set(kind, (shares.get(kind) ?? 0) + weighed.probability)
  }
  return [...shares]
    .map(([kind, probability]) => ({ kind, probability: Math.min(1, probability) }))
    .sort((a, b) => b.probability - a.probability)
}

/**
 * With a limit of one, a log, a window from the first hit and a bucket are the same, and a bucket
 * that counts what it refuses is a block. A block that ends long before its window does is none.
 */
function className(weighed: Weighed, belief: Belief): LimiterKind {
  const { hypothesis } = weighed.pool
  if (isOneAtATime(hypothesis, weighed.best.parameters)) return 'token-bucket'
  return hiddenBlock(weighed, belief)?.pool.hypothesis.kind ?? hypothesis.kind
}

/** A block that is shorter than this share of its window shows only at the end of one. */
const HIDDEN_BLOCK = 0.1
/** Nats by which a block must explain the answers better to be one. */
const SHOWN_BLOCK = 1

/** The same limit without a block, where that explains the answers as well; else null. */
function hiddenBlock({ pool, best }: Weighed, { weighed }: Belief): Weighed | null {
  if (pool.hypothesis.kind !== 'penalty') return null
  const isShort = believedIn(pool, best).every(
    ({ windowMs, blockMs }) => blockMs <= HIDDEN_BLOCK * windowMs,
  )
  if (!isShort) return null
  const plain = weighed.find((each) => isWithoutBlock(each.pool.hypothesis, pool.hypothesis))
  return plain !== undefined && plain.best.fit >= best.fit - SHOWN_BLOCK ? plain : null
}

function isOneAtATime(
  { kind, aligned, countsRefused }: Hypothesis,
  { limit, windowMs, blockMs }: Parameters,
): boolean {
  if (limit !== 1) return false
  if (kind === 'penalty') return countsRefused && Math.abs(windowMs / blockMs - 1) < CLOSE
  return kind === 'sliding-log' || (kind === 'fixed-window' && aligned === 'first-hit')
}

/** All that a kind stands for, most probable first. */
export function explanationsOf(belief: Belief, kind: LimiterKind): readonly Weighed[] {
  return belief.weighed.filter((weighed) => className(weighed, belief) === kind)
}

export function rateLimitOf(belief: Belief): RateLimit {
  const [first, second] = kindShares(belief)
  if (first === undefined) return UNKNOWN
  const { grouped } = belief
  const explanations = explanationsOf(belief, first.kind)
  const { pool, best } = explanations[0]!
  const { kind } = pool.hypothesis
  const isBucket = first.kind === 'token-bucket'
  const limit = rangeOf(explanations, 'limit')
  const overMs = isBucket ? spanOf(grouped) : undefined
  const windowMs = widened(rangeOf(explanations, 'windowMs'), grouped, overMs)
  // Where all are served in the same time, answers in turn show it; else the time of each does.
  const isHeld = isHeldBack(best.parameters.windowMs, grouped.turn)
  const delaying = isBucket && (isHeld || holdsBack(pool.hypothesis, best, grouped))
  const isTold =
    grouped.groups.some(({ refused }) => refused > 0) &&
    !['fixed-window', 'concurrency', 'none'].includes(kind)
  const isBlock = hasHiddenBlock(belief, explanations) || isUnprovoked(belief, kind)
  return withOpen({
    ...limitOf(first.kind, explanations, { limit, windowMs }, grouped),
    kind: delaying ? 'leaky-bucket' : first.kind,
    sameAs: [
      ...sameAs(first.kind, limit, delaying),
      ...heldTwins(belief, limit, windowMs),
      ...(isBlock ? (['penalty'] as const) : []),
    ],
    capacity: isBucket ? loosened(limit, windowMs, grouped.timing) : null,
    concurrency: kind === 'concurrency' ? limit : null,
    blockMs: kind === 'penalty' ? widened(rangeOf(explanations, 'blockMs'), grouped) : null,
    delaying,
    countsRefused: isTold ? agreedOn(explanations, 'countsRefused') : null,
    runnerUp: second === undefined || second.probability < 1e-9 ? null : second,
  })
}

/** The limit of one kind, its explanations best first, where no rivals are shown. */
export function inferredLimit(explanations: readonly Weighed[], grouped: Grouped): RateLimit {
  const limit = rangeOf(explanations, 'limit')
  const windowMs = widened(rangeOf(explanations, 'windowMs'), grouped)
  const { kind } = explanations[0]!.pool.hypothesis
  return withOpen(limitOf(kind, explanations, { limit, windowMs }, grouped))
}

const WINDOWS = new Set(['fixed-window', 'sliding-log', 'sliding-counter', 'penalty'])

function limitOf(
  kind: LimiterKind,
  explanations: readonly Weighed[],
  { limit, windowMs }: Record<'limit' | 'windowMs', ParameterEstimate>,
  { timing }: Grouped,
): RateLimit {
  const isBucket = kind === 'token-bucket'
  const isWindow = WINDOWS.has(explanations[0]!.pool.hypothesis.kind)
  const aligned = agreedOn(explanations, 'aligned')
  const share = sumBy(explanations, ({ probability }) => probability)
  return {
    ...UNKNOWN,
    kind,
    sameAs: sameAs(kind, limit, false),
    probability: Math.min(1, share),
    ratePerSecond: isBucket ? inverse(windowMs) : null,
    capacity: isBucket ? limit : null,
    limit: isWindow ? limit : null,
    windowMs: isWindow ? windowMs : null,
    aligned: isWindow ? aligned : null,
    safePerSecond: safePerSecond({ kind, limit, windowMs, aligned }, timing.spreadMs),
  }
}

/**
 * Of the error of one arrival: a length of time lies between two, and either may be near a bound.
 */
const ERRORS = 3

/**
 * By what jitter, or lateness beyond it, can do to a time that was measured over `overMs`, its own
 * length unless given.
 */
function widened(
  { value, low, high }: ParameterEstimate,
  { timing, lateMs }: Grouped,
  overMs = value,
): ParameterEstimate {
  const error = Math.min(0.5, Math.max(ERRORS * timing.sigmaMs, lateMs) / overMs)
  return { value, low: low * (1 - error), high: high * (1 + error) }
}

/** Tokens that come while a burst arrives cannot be told from those that were there. */
function loosened(
  capacity: ParameterEstimate,
  windowMs: ParameterEstimate,
  { spreadMs }: GroupTiming,
): ParameterEstimate {
  const tokens = Math.round(spreadMs / windowMs.value)
  return {
    value: capacity.value,
    low: Math.max(1, capacity.low - tokens),
    high: capacity.high + tokens,
  }
}

/** From the first group that says what is left, by a refusal or by a header, to the last. */
function spanOf({ groups }: Grouped): number {
  const telling = groups.filter(({ refused, left }) => refused > 0 || left !== null)
  return Math.max(1, (telling.at(-1)?.lastMs ?? 0) - (telling[0]?.firstMs ?? 0))
}

function sameAs(kind: LimiterKind, limit: ParameterEstimate, delaying: boolean): LimiterKind[] {
  if (kind !== 'token-bucket') return []
  const twins: LimiterKind[] = delaying ? ['token-bucket'] : ['leaky-bucket']
  return limit.value === 1 ? [...twins, 'sliding-log', 'fixed-window'] : twins
}

/**
 * Where one request is served in about the time that a token takes to come, one token at a time is
 * one request in flight at a time, and the jitter hides any difference.
 */
function heldTwins(
  belief: Belief,
  limit: ParameterEstimate,
  windowMs: ParameterEstimate,
): LimiterKind[] {
  const { serviceMs, spreadMs } = belief.grouped.timing
  const first = kindShares(belief)[0]!.kind
  if (first !== 'token-bucket' || limit.low > 1) return []
  const isClose = Math.abs(windowMs.value - serviceMs) < spreadMs && windowMs.value < 2 * spreadMs
  return isClose ? ['concurrency'] : []
}

/** A penalty that is less probable than this does not explain the answers as well. */
const LEAST_HIDDEN_BLOCK = 0.01
/** With headers, a block that no answer has shown is less probable for that alone. */
const LEAST_UNSEEN_BLOCK = 0.001

/** Whether a block that always ended before its window did would explain the answers as well. */
function hasHiddenBlock(belief: Belief, [first, ...others]: readonly Weighed[]): boolean {
  const { hypothesis } = first!.pool
  if (hypothesis.kind === 'penalty') return false
  const isCounted = belief.grouped.promise !== null
  const among = isCounted
    ? belief.weighed.filter(({ pool }) => isWithoutBlock(hypothesis, pool.hypothesis))
    : others
  const least = isCounted ? LEAST_UNSEEN_BLOCK : LEAST_HIDDEN_BLOCK
  return among.some(
    ({ pool, probability }) => pool.hypothesis.kind === 'penalty' && probability > least,
  )
}

/** Whether a block would not have shown, since headers gave the limit before any refusal. */
function isUnprovoked({ grouped: { groups } }: Belief, kind: LimiterKind): boolean {
  const isWindow = kind === 'fixed-window' || kind === 'sliding-log'
  return isWindow && groups.every(({ refused }) => refused === 0)
}

/** Tokens a second, of milliseconds for one. */
function inverse({ low, high }: ParameterEstimate): ParameterEstimate {
  const rates = { low: 1_000 / high, high: 1_000 / low }
  return { value: (rates.low + rates.high) / 2, ...rates }
}

/** What all explanations of one kind agree on that are not ruled out, best first; else null. */
function agreedOn<Name extends 'aligned' | 'countsRefused'>(
  explanations: readonly Weighed[],
  name: Name,
): Hypothesis[Name] | null {
  const value = explanations[0]!.pool.hypothesis[name]
  const left = notRuledOut(explanations)
  return left.every(({ pool }) => pool.hypothesis[name] === value) ? value : null
}

/**
 * Trips grow by as much as the predicted wait does where requests are held back, and not at all
 * elsewhere. The slope may be off by this much, and by so many standard errors.
 */
const NEAR = 0.1
const CLEAR = 4
/** With a larger error, the two slopes cannot be told apart. */
const MOST_ERROR = 0.2
/** Fewer groups show no slope. */
const LEAST_GROUPS = 5

/**
 * Whether a bucket holds back what comes faster than its rate, where service varies, so that the
 * answers of a burst are not spread evenly: those that had to wait for longer take longer.
 *
 * False where it cannot be known.
 */
function holdsBack(hypothesis: Hypothesis, best: Particle, grouped: Grouped): boolean {
  const waits = waitsOf(hypothesis, best, grouped)
  if (waits.length < LEAST_GROUPS) return false
  const { slope, error } = weightedSlope(waits)
  return slope > CLEAR * error && Math.abs(slope - 1) < NEAR + CLEAR * error && error < MOST_ERROR
}

/** The accepted requests of one group, in the mean. */
interface Wait {
  predictedMs: number
  tripMs: number
  /** How many they are. */
  weight: number
}

function waitsOf(
  hypothesis: Hypothesis,
  { parameters }: Particle,
  { groups, timing, promise }: Grouped,
): Wait[] {
  const { limit, windowMs } = parameters
  const model = hypothesis.model(parameters, timing.sigmaMs)
  const state = model.fresh()
  return groups.flatMap((group): Wait[] => {
    const { firstMs, accepted } = group
    const tokens = Math.min(limit, 1 + (firstMs - model.timeOf(state, 1, group)) / windowMs)
    advanceModel(model, state, group, promise)
    if (accepted === 0 || group.isOthers) return []
    const predictedMs = meanWaitMs(group, (limit - tokens) * windowMs, windowMs)
    const tripMs = meanOf(group.receivedMs) - meanOf(group.arrivalsMs)
    return [{ predictedMs, tripMs, weight: accepted }]
  })
}

/** `busyMs`: for so long the bucket is still busy with those before the group. */
function meanWaitMs(
  { firstMs, arrivalsMs }: RequestGroup,
  busyMs: number,
  windowMs: number,
): number {
  let freeMs = firstMs + busyMs
  const waits = arrivalsMs.map((ms) => {
    const waitMs = Math.max(0, freeMs - ms)
    freeMs = ms + waitMs + windowMs
    return waitMs
  })
  return meanOf(waits)
}

/** Least squares, and the standard error of the slope from the residuals. */
function weightedSlope(waits: readonly Wait[]): { slope: number; error: number } {
  const total = sumBy(waits, ({ weight }) => weight)
  const mean = (of: (wait: Wait) => number): number =>
    sumBy(waits, (wait) => wait.weight * of(wait)) / total
  const x = mean(({ predictedMs }) => predictedMs)
  const y = mean(({ tripMs }) => tripMs)
  const variance = mean(({ predictedMs }) => (predictedMs - x) ** 2)
  if (variance === 0) return { slope: 0, error: 0 }
  const slope = mean(({ predictedMs, tripMs }) => (predictedMs - x) * (tripMs - y)) / variance
  const left = mean(({ predictedMs, tripMs }) => (tripMs - y - slope * (predictedMs - x)) ** 2)
  return { slope, error: Math.sqrt(left / variance / (waits.length - 2)) }
}

/**
 * Particles this much less likely than the best are still believed: half the 95th percentile of
 * chi-square with three to four degrees of freedom (Wilks, 1938).
 */
const BELIEVED = 4
/** Explanations with less than this share of the best one's probability need no more looking at. */
const LEAST_SHARE = 0.03
/** And with less than this they are ruled out. */
const RULED_OUT = 0.01
/** The same, by a window on the calendar: its phase can be fitted to windows from a first hit. */
const RULED_OUT_BY_PHASE = 1e-5
/** A length of time is known well enough when its interval is this wide, of its value. */
const WIDTH = 0.08

/**
 * Over all explanations of one kind, best first, that are not ruled out. The value is the middle of
 * the interval, or where that is wide, the middle of what the best leaves.
 */
function rangeOf(
  explanations: readonly Weighed[],
  parameter: keyof Parameters,
  left = notRuledOut(explanations),
): ParameterEstimate {
  const first = explanations[0]!
  const { best } = first
  const values = left
    .filter(({ pool }) => pool.hypothesis.has.includes(parameter))
    .flatMap(({ pool, best: own }) => believedIn(pool, own).map((each) => each[parameter]))
  const low = Math.min(...values)
  const high = Math.max(...values)
  if (parameter === 'limit') return { value: best.parameters.limit, low, high }
  if (high - low <= (WIDTH * (low + high)) / 2) return { value: (low + high) / 2, low, high }
  const own = believedIn(first.pool, best).map((each) => each[parameter])
  return { value: (Math.min(...own) + Math.max(...own)) / 2, low, high }
}

/** `explanations`: of one kind, best first. */
function notRuledOut(explanations: readonly Weighed[]): readonly Weighed[] {
  const { kind, aligned } = explanations[0]!.pool.hypothesis
  const isByPhase = kind === 'fixed-window' && aligned === 'calendar'
  return withShare(explanations, isByPhase ? RULED_OUT_BY_PHASE : RULED_OUT)
}

function withShare(explanations: readonly Weighed[], share: number): readonly Weighed[] {
  const least = share * explanations[0]!.probability
  return explanations.filter(({ probability }) => probability >= least)
}

/** Those that explain the answers about as well as the best of the pool. */
function believedIn({ particles }: Pool, best: Particle): Parameters[] {
  return particles
    .filter(({ fit }) => fit >= best.fit - BELIEVED)
    .map(({ parameters }) => parameters)
}

/** `explanations`: of one kind, best first. */
export function isPrecise(explanations: readonly Weighed[]): boolean {
  const { has } = explanations[0]!.pool.hypothesis
  const left = withShare(explanations, LEAST_SHARE)
  return has.every((parameter) => {
    if (parameter === 'phaseMs') return true
    const { value, low, high } = rangeOf(explanations, parameter, left)
    return parameter === 'limit' ? low === high : high - low <= WIDTH * value
  })
}

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
