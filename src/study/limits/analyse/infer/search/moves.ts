/** Changes of parameters: small ones, those along ridges, and windows of other lengths. */
import type { Random } from '../../../../../base/random.ts'
import type { Hypothesis, Parameters, Clues } from '../hypotheses/hypothesis.ts'
import { parametersOf } from '../hypotheses/hypothesis.ts'
import { msIntoWindow, sample } from '../hypotheses/fixed-window.ts'
import type { RequestGroup } from '../evidence/groups.ts'
import { hasRequests } from '../evidence/groups.ts'

const SCALES = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001]
/** What explains the answers as well may lie far away, with nothing between. */
const FAR_SCALES = [1, ...SCALES]
const HARMONICS = [1 / 3, 1 / 2, 2 / 3, 3 / 4, 4 / 3, 3 / 2, 2, 3]

/** Moves one parameter. A boundary of windows between 0 and `nowMs` is kept where it was. */
export function moved(
  { has }: Hypothesis,
  from: Parameters,
  nowMs: number,
  random: Random,
  scales: readonly number[] = SCALES,
): Parameters {
  const to = parametersOf(from)
  const scale = random.pick(scales) * random.normal()
  const boundaryMs = boundaryNear(from, nowMs * random.next())
  let shiftMs = 0
  switch (random.pick(has)) {
    case 'limit':
      to.limit = movedLimit(from.limit, random)
      if (has.includes('windowMs') && random.next() < 0.3) to.windowMs *= Math.exp(scale)
      break
    case 'windowMs':
      to.windowMs *= random.next() < 0.1 ? random.pick(HARMONICS) : Math.exp(scale)
      break
    case 'phaseMs':
      shiftMs = scale * from.windowMs
      break
    case 'blockMs':
      to.blockMs *= Math.exp(scale)
      break
  }
  if (has.includes('phaseMs')) to.phaseMs = msIntoWindow(boundaryMs + shiftMs, to.windowMs)
  return to
}

/** Moves one parameter to one side, -1 or 1. A window boundary between 0 and `nowMs` is kept. */
export function stretched(
  { has }: Hypothesis,
  from: Parameters,
  { parameter, side }: { parameter: Stretchable; side: -1 | 1 },
  nowMs: number,
  random: Random,
): Parameters {
  const to = parametersOf(from)
  const boundaryMs = boundaryNear(from, nowMs * random.next())
  const scale = random.pick(FAR_SCALES) * Math.abs(random.normal())
  if (parameter === 'limit') to.limit = Math.max(1, from.limit + side)
  else to[parameter] *= Math.exp(side * scale)
  if (has.includes('phaseMs')) {
    const shiftMs = random.next() < 0.5 ? 0 : random.pick(SCALES) * random.normal() * to.windowMs
    to.phaseMs = msIntoWindow(boundaryMs + shiftMs, to.windowMs)
  }
  return to
}

export type Stretchable = 'limit' | 'windowMs' | 'blockMs'

function movedLimit(limit: number, random: Random): number {
  const most = random.next() < 0.7 ? 1 : Math.max(2, Math.round(limit * 0.1))
  const by = 1 + random.int(most)
  return Math.max(1, random.next() < 0.5 ? limit - by : limit + by)
}

const STRIDES = [0.3, 0.6, 1, 1.5, 2.5]

/**
 * By the difference of two others, as in differential evolution (Storn and Price, 1997): where they
 * lie along a ridge, the move follows it. `aroundMs`: boundaries near it are compared.
 */
export function crossed(
  { has }: Hypothesis,
  from: Parameters,
  [one, other]: readonly [Parameters, Parameters],
  aroundMs: number,
  random: Random,
): Parameters {
  const stride = random.pick(STRIDES) * Math.exp(0.1 * random.normal())
  const to = parametersOf(from)
  if (has.includes('windowMs')) {
    to.windowMs *= (one.windowMs / other.windowMs) ** stride
  }
  if (has.includes('blockMs')) to.blockMs *= (one.blockMs / other.blockMs) ** stride
  if (has.includes('limit')) {
    const limit = from.limit + stride * (one.limit - other.limit)
    to.limit = Math.max(1, Math.round(limit))
  }
  if (has.includes('phaseMs')) {
    const apart = boundaryNear(one, aroundMs) - boundaryNear(other, aroundMs)
    to.phaseMs = msIntoWindow(boundaryNear(from, aroundMs) + stride * apart, to.windowMs)
  }
  return to
}

function boundaryNear({ windowMs, phaseMs }: Parameters, aroundMs: number): number {
  return phaseMs + Math.round((aroundMs - phaseMs) / windowMs) * windowMs
}

/** Each length is this much longer than the one before it. */
const STEP = 1.004
/** Where the phase is open as well. */
const OPEN_STEP = 1.02
const PHASES = 8
/** Where a look at the boundaries comes before any replay, and how many pass it to be replayed. */
const FINE_STEP = 1.002
const POSSIBLE = 600
const SHORTEST_MS = 900
/** The longest window, as a multiple of the time over which there is evidence. */
const LONGEST = 1.5
const ANCHORS = 2

/** Boundaries leave the length open, and so do the few blocks that tell of a penalty's window. */
export function hasOtherLengths({ kind, has }: Hypothesis): boolean {
  return kind === 'penalty' || has.includes('phaseMs')
}

/** `share`: of the lengths that are usually tried, from 0 to 1. */
export function otherLengths(
  { kind, has }: Hypothesis,
  best: Parameters,
  clues: Clues,
  share: number,
): Parameters[] {
  if (kind === 'fixed-window') return anchored(best, clues, share)
  if (!has.includes('phaseMs')) {
    return lengthsBy(STEP, clues, share).map((windowMs) => parametersOf(best, { windowMs }))
  }
  if (kind === 'penalty') {
    const lengths = lengthsBy(FINE_STEP, clues, 1)
    const possible = possibleWindows(best.limit, lengths, FINE_STEP, clues)
    return sample(clues, possible, share * POSSIBLE).map((window) => parametersOf(best, window))
  }
  const others = anywhere(best, clues, share)
  if (kind !== 'sliding-counter') return others
  // What is left of the window before makes the limit hard to see.
  return others.map((other) =>
    parametersOf(other, { limit: clues.random.pick([best.limit, ...clues.limitsOf(other)]) }),
  )
}

function anchored(best: Parameters, clues: Clues, share: number): Parameters[] {
  const anchors = new Set(
    clues.readmissions.map(({ toMs }) => {
      const turns = Math.round((toMs - best.phaseMs) / best.windowMs)
      return best.phaseMs + turns * best.windowMs
    }),
  )
  const lengths = lengthsBy(STEP, clues, share)
  return [...anchors]
    .slice(-ANCHORS)
    .flatMap((anchorMs) =>
      lengths.map((windowMs) =>
        parametersOf(best, { windowMs, phaseMs: msIntoWindow(anchorMs, windowMs) }),
      ),
    )
}

/** Where requests are let in again within a window, or when a block ends, that shows no phase. */
function anywhere(best: Parameters, clues: Clues, share: number): Parameters[] {
  return lengthsBy(OPEN_STEP, clues, share).flatMap((windowMs) =>
    Array.from({ length: PHASES }, () =>
      parametersOf(best, { windowMs, phaseMs: clues.random.next() * windowMs }),
    ),
  )
}

function lengthsBy(step: number, { groups }: Clues, share: number): number[] {
  const ratio = share === 1 ? step : step ** (1 / share)
  const longestMs = LONGEST * (groups.at(-1)?.lastMs ?? 0)
  const lengths: number[] = []
  for (let ms = SHORTEST_MS; ms < longestMs; ms *= ratio) lengths.push(ms)
  return lengths
}

interface WindowStretch {
  fromMs: number
  toMs: number
}

interface Known {
  /** Each holds a boundary. */
  withOne: readonly WindowStretch[]
  /** None of these does. */
  without: readonly WindowStretch[]
}

/** Standard deviations of an arrival by which a stretch may be off. */
const OFF = 3
/** The most places that are tried where a possible window can begin. */
const PLACES = 2

/** Lengths from this one times `1 - error` to this one times `1 + error`. */
interface Lengths {
  windowMs: number
  error: number
}

/** So many stretches of lengths are divided further at most, some of them at random. */
const MOST_DIVIDED = 600

/**
 * Where calendar windows can begin, as far as the answers tell without a replay: between more
 * requests than the limit that were let in there is a boundary, and between as many as the limit
 * and the refusal that follows them there is none.
 *
 * Windows for which all that is known holds, within the jitter: one of each stretch of lengths that
 * has any. A stretch for which none can is left out at once, and the others are divided until one
 * is found, or the windows of a stretch part by no more than the jitter over all of the evidence.
 * `ratio`: of each length to the one before it, at first.
 */
export function possibleWindows(
  limit: number,
  lengthsMs: readonly number[],
  ratio: number,
  { groups, sigmaMs, random }: Clues,
): { windowMs: number; phaseMs: number }[] {
  const offMs = OFF * sigmaMs
  const known = knownFrom(groups, limit, offMs)
  const halfMs = ((groups.at(-1)?.lastMs ?? 0) - (groups[0]?.firstMs ?? 0)) / 2
  const middleMs = (groups[0]?.firstMs ?? 0) + halfMs
  const found: { windowMs: number; phaseMs: number }[] = []
  let error = Math.log(ratio) / 2
  let open: Lengths[] = lengthsMs.map((windowMs) => ({ windowMs, error }))
  for (;;) {
    const divided = open.filter((each) => {
      if (possiblePhases(known, each, middleMs).length === 0) return false
      const { windowMs } = each
      const phases = possiblePhases(known, { windowMs, error: 0 }, middleMs)
      for (const { fromMs, toMs } of phases.slice(0, PLACES)) {
        const ms = middleMs + fromMs + random.next() * (toMs - fromMs)
        found.push({ windowMs, phaseMs: msIntoWindow(ms, windowMs) })
      }
      return phases.length === 0
    })
    error /= 2
    if (divided.length === 0 || error * halfMs < offMs / 2) return found
    while (divided.length > MOST_DIVIDED) divided.splice(random.int(divided.length), 1)
    open = divided.flatMap(halves)
  }
}

function halves({ windowMs, error }: Lengths): Lengths[] {
  return [-1, 1].map((side) => ({
    windowMs: windowMs * (1 + (side * error) / 2),
    error: error / 2,
  }))
}

function knownFrom(all: readonly RequestGroup[], limit: number, offMs: number): Known {
  const groups = all.filter(hasRequests)
  const withOne: WindowStretch[] = []
  const without: WindowStretch[] = []
  const accepted = groups.filter((group) => group.accepted > 0)
  for (const [last, to] of accepted.entries()) {
    const beyond = backFrom(accepted, last, limit + 1)
    if (beyond !== null) withOne.push({ fromMs: beyond.firstMs - offMs, toMs: to.lastMs + offMs })
    const first = backFrom(accepted, last, limit)
    const refused = refusedAfter(groups, groups.indexOf(to))
    if (first === null || refused === null) continue
    without.push({ fromMs: first.lastMs + offMs, toMs: refused.firstRefusedMs - offMs })
  }
  return { withOne, without: without.filter(({ fromMs, toMs }) => fromMs < toMs) }
}

/**
 * The group with the refusal that follows the last request that was let in; null where another one
 * may have been let in before it, or it may have come first, at the end of a block.
 */
function refusedAfter(groups: readonly RequestGroup[], i: number): RequestGroup | null {
  if (groups[i]!.refused > 0) return groups[i - 1]?.refused === 0 ? groups[i]! : null
  const next = groups[i + 1]
  return next !== undefined && next.refused > 0 && next.accepted === 0 ? next : null
}

/** The latest group since which at least so many were let in; null where fewer were. */
function backFrom(
  accepted: readonly RequestGroup[],
  last: number,
  count: number,
): RequestGroup | null {
  let sum = 0
  for (let i = last; i >= 0; i--) {
    sum += accepted[i]!.accepted
    if (sum >= count) return accepted[i]!
  }
  return null
}

/**
 * Where windows of these lengths can begin, as times after `middleMs`. The farther from there, the
 * farther the windows of two lengths are apart.
 */
function possiblePhases(
  { withOne, without }: Known,
  { windowMs, error }: Lengths,
  middleMs: number,
): readonly WindowStretch[] {
  let possible: readonly WindowStretch[] = [{ fromMs: 0, toMs: windowMs }]
  for (const { fromMs, toMs } of without) {
    const from = fromMs - middleMs + error * Math.abs(fromMs - middleMs)
    const to = toMs - middleMs - error * Math.abs(toMs - middleMs)
    if (to - from >= windowMs) return []
    if (from >= to) continue
    possible = within(possible, around(to, from, windowMs))
    if (possible.length === 0) return possible
  }
  for (const { fromMs, toMs } of withOne) {
    const from = fromMs - middleMs - error * Math.abs(fromMs - middleMs)
    const to = toMs - middleMs + error * Math.abs(toMs - middleMs)
    if (to - from >= windowMs) continue
    possible = within(possible, around(from, to, windowMs))
    if (possible.length === 0) return possible
  }
  return possible
}

/** The part of a window that begins at 0 from one time on up to the other. */
function around(fromMs: number, toMs: number, windowMs: number): WindowStretch[] {
  const from = fromMs - Math.floor(fromMs / windowMs) * windowMs
  const to = toMs - Math.floor(toMs / windowMs) * windowMs
  if (from <= to) return [{ fromMs: from, toMs: to }]
  return [
    { fromMs: 0, toMs: to },
    { fromMs: from, toMs: windowMs },
  ]
}

function within(some: readonly WindowStretch[], others: readonly WindowStretch[]): WindowStretch[] {
  const both: WindowStretch[] = []
  for (const one of some) {
    for (const other of others) {
      const fromMs = Math.max(one.fromMs, other.fromMs)
      const toMs = Math.min(one.toMs, other.toMs)
      if (fromMs < toMs) both.push({ fromMs, toMs })
    }
  }
  return both
}
