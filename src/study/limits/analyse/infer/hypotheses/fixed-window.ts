/** Fixed window: `limit` requests in each, on the calendar or from the first request on. */
import type { Group } from '../evidence/group.ts'
import type { Clues, Hypothesis, Model, Parameters } from './hypothesis.ts'
import { parametersOf } from './hypothesis.ts'
import {
  boundaries,
  lengthsToReadmissions,
  phaseOf,
  promisedLengths,
  sample,
  spreadLengths,
} from './windows.ts'

interface WindowState {
  endMs: number
  count: number
}

/** A group this many usual errors, and its own, from a boundary may be on its other side. */
const NEAR = 3

/** A window that begins with the first request. */
export function windowFromHit(
  { limit, windowMs }: Parameters,
  sigmaMs: number,
): Model<WindowState> {
  return fixedWindow(limit, windowMs, sigmaMs, (ms) => ms + windowMs, true)
}

export function windowByClock(parameters: Parameters, sigmaMs: number): Model<WindowState> {
  const { limit, windowMs } = parameters
  return fixedWindow(limit, windowMs, sigmaMs, calendarEnd(parameters), false)
}

/** `endFrom`: the end of a window in which a request at this time is. */
function fixedWindow(
  limit: number,
  windowMs: number,
  sigmaMs: number,
  endFrom: (ms: number) => number,
  isFromHit: boolean,
): Model<WindowState> {
  return {
    memoryMs: windowMs,
    fresh: () => ({ endMs: -Infinity, count: 0 }),
    copy: (state) => ({ ...state }),
    timeOf: ({ endMs, count }, k, { firstMs }) => {
      const free = limit - count
      if (firstMs < endMs) return k <= free ? -Infinity : k <= free + limit ? endMs : Infinity
      if (k > limit) return Math.max(endFrom(firstMs), firstMs)
      if (k <= free || endMs === -Infinity) return -Infinity
      return Math.max(endMs, endFrom(firstMs) - windowMs - sigmaMs)
    },
    advance: advanceWindow,
    used: ({ endMs, count }, firstMs) => (firstMs < endMs ? count : 0),
  }

  function advanceWindow(state: WindowState, group: Group, refused: number): void {
    const { firstMs, lastMs, errorMs, accepted } = group
    if (accepted === 0) return
    if (firstMs >= state.endMs) {
      state.endMs = endFrom(firstMs)
      state.count = 0
    }
    const { endMs } = state
    const free = Math.max(0, limit - state.count)
    const over = accepted - free
    if (lastMs > endMs || (over > 0 && lastMs > endMs - NEAR * sigmaMs - errorMs)) {
      const share = (lastMs - endMs) / Math.max(1, lastMs - firstMs)
      const after = Math.max(over, Math.round(accepted * Math.min(1, Math.max(0, share))))
      if (after > 0) {
        const own = isWhole(accepted, refused) ? limit : after
        const beginMs = Math.max(endMs, firstMs)
        state.endMs = endFrom(hitBefore(beginMs, accepted - Math.max(own, over), group) + 1e-3)
        state.count = own
        return
      }
    }
    state.count += accepted
  }

  /** As many as the limit and a refusal are a window of their own: it began with the first. */
  function isWhole(accepted: number, refused: number): boolean {
    return isFromHit && refused > 0 && accepted >= limit
  }

  /** A window begins with the first request that the one before it had no room for. */
  function hitBefore(ms: number, number: number, { arrivalsMs }: Group): number {
    return isFromHit ? Math.min(ms, arrivalsMs[number] ?? Infinity) : ms
  }
}

function calendarEnd({ windowMs, phaseMs }: Parameters): (ms: number) => number {
  return (ms) => phaseMs + (Math.floor((ms - phaseMs) / windowMs) + 1) * windowMs
}

const FIXED = { kind: 'fixed-window', countsRefused: false, prior: 0 } as const

export const calendarWindow: Hypothesis = {
  ...FIXED,
  name: 'fixed window, calendar',
  aligned: 'calendar',
  has: ['limit', 'windowMs', 'phaseMs'],
  model: windowByClock,
  seeds: (clues, most) => withLimits(clues, calendarSeeds(clues), most),
}

export const firstHitWindow: Hypothesis = {
  ...FIXED,
  name: 'fixed window, first hit',
  aligned: 'first-hit',
  has: ['limit', 'windowMs'],
  model: windowFromHit,
  seeds: (clues, most) => withLimits(clues, lengthSeeds(clues), most),
}

export function lengthSeeds(clues: Clues): Parameters[] {
  const lengths = [
    ...sample(clues, lengthsToReadmissions(clues), 80),
    ...spreadLengths(clues, 40),
    ...promisedLengths(clues, 20),
  ]
  return lengths.map((windowMs) => parametersOf({ windowMs }))
}

/** Where a window begins, requests are let in again. */
export function calendarSeeds(clues: Clues): Parameters[] {
  const { random } = clues
  const begins = boundaries(clues, 6)
  if (begins.length === 0) return []
  const lengths = [...spreadLengths(clues, 60), ...promisedLengths(clues, 60)]
  for (let i = 0; i < 90; i++) {
    const ms = Math.abs(random.pick(begins) - random.pick(begins))
    if (ms > 300) lengths.push(ms / (1 + random.int(4)))
  }
  return lengths.map((windowMs) =>
    parametersOf({ windowMs, phaseMs: phaseOf(random.pick(begins), windowMs) }),
  )
}

/** So many limits are tried for a seed where not all are. */
const LIMITS = 2

/** Each with the limits that the refusals imply. To find them takes as long as a replay does. */
export function withLimits(clues: Clues, seeds: readonly Parameters[], most: number): Parameters[] {
  const each = seeds.length > most ? LIMITS : Infinity
  return sample(clues, seeds, most / LIMITS).flatMap((seed) =>
    sample(clues, clues.limitsOf(seed), each).map((limit) => parametersOf(seed, { limit })),
  )
}
