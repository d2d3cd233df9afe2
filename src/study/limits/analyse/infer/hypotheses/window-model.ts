/** What a fixed window lets in, when it began with the first request or is on the calendar. */
import type { Group } from '../evidence/group.ts'
import type { Model } from './hypothesis.ts'

export interface WindowState {
  endMs: number
  count: number
  /** How far the end may be off because the arrival is that the window began with. */
  errorMs: number
  /** What this course of events leaves unexplained, in milliseconds. */
  lostMs: number
}

/**
 * Each field is written out: `{ ...state }` makes objects of a new shape for each copy of a copy,
 * and the engine compiles what reads them again. It took a quarter of a study's time.
 */
export function copyOf({ endMs, count, errorMs, lostMs }: WindowState): WindowState {
  return { endMs, count, errorMs, lostMs }
}

/**
 * A group this many usual errors, its own and that of the boundary from it, may be on its other
 * side.
 */
export const NEAR = 3

/** `endFrom`: the end of a window in which a request at this time is. */
export function fixedWindow(
  limit: number,
  windowMs: number,
  sigmaMs: number,
  endFrom: (ms: number) => number,
  isFromHit: boolean,
): Model<WindowState> {
  return {
    memoryMs: windowMs,
    raises: false,
    turnMs: null,
    asksLeaves: false,
    fresh: () => ({ endMs: -Infinity, count: 0, errorMs: 0, lostMs: 0 }),
    copy: copyOf,
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
    const begunErrorMs = isFromHit ? errorMs : 0
    if (firstMs >= state.endMs) {
      state.endMs = endFrom(firstMs)
      state.count = 0
      state.errorMs = begunErrorMs
    }
    const { endMs } = state
    const free = Math.max(0, limit - state.count)
    const over = accepted - free
    const nearMs = NEAR * sigmaMs + errorMs + state.errorMs
    if (lastMs > endMs || (over > 0 && lastMs > endMs - nearMs)) {
      const share = (lastMs - endMs) / Math.max(1, lastMs - firstMs)
      const after = Math.max(over, Math.round(accepted * Math.min(1, Math.max(0, share))))
      if (after > 0) {
        const own = isWhole(accepted, refused) ? limit : after
        const beginMs = Math.max(endMs, firstMs)
        state.endMs = endFrom(hitBefore(beginMs, accepted - Math.max(own, over), group) + 1e-3)
        state.count = own
        state.errorMs = begunErrorMs
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
