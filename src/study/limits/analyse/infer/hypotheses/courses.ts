/**
 * Where a window began with a late request, its end is known no better, and what comes about then
 * may be part of it or begin the next: both courses of events are followed, until answers tell
 * which.
 */
import type { Group } from '../evidence/group.ts'
import type { Model } from './hypothesis.ts'
import type { WindowState } from './window-model.ts'
import { copyOf, NEAR } from './window-model.ts'

/** The likeliest first; at least one. */
export interface Courses {
  courses: WindowState[]
}

/** So many are followed at most. */
const MOST_COURSES = 4

/** `window`: one that begins with the first request. */
export function inCourses(
  window: Model<WindowState>,
  limit: number,
  sigmaMs: number,
): Model<Courses> {
  return {
    memoryMs: window.memoryMs,
    raises: false,
    turnMs: null,
    asksLeaves: false,
    fresh: () => ({ courses: [window.fresh()] }),
    copy: ({ courses }) => ({ courses: courses.map((course) => window.copy(course)) }),
    timeOf: ({ courses }, k, group) => {
      const course = courses.length === 1 ? courses[0]! : likeliest(courses, group)
      return timeOf(course, k, group)
    },
    advance: (state, group, refused) => {
      const { courses } = state
      const first = courses[0]!
      if (courses.length === 1 && first.errorMs === 0) {
        window.advance(first, group, refused)
        return
      }
      const all: WindowState[] = []
      for (const course of courses) {
        if (courses.length > 1) course.lostMs += mismatchMs(course, group)
        advanceInto(all, course, group, refused, { window, limit })
      }
      if (all.length > 1) all.sort((a, b) => a.lostMs - b.lostMs)
      const most = all[0]!.lostMs + NEAR * sigmaMs
      const unlikely = all.findIndex(({ lostMs }) => lostMs > most)
      all.length = Math.min(unlikely === -1 ? all.length : unlikely, MOST_COURSES)
      state.courses = all
    },
    used: ({ courses }, firstMs) => window.used(courses[0]!, firstMs),
  }

  /** The end that suits best: an early one for what was let in, a late one for what was refused. */
  function timeOf(course: WindowState, k: number, group: Group): number {
    const { endMs, errorMs } = course
    if (errorMs === 0) return window.timeOf(course, k, group)
    course.endMs = k <= group.accepted ? endMs - errorMs : endMs + errorMs
    const ms = window.timeOf(course, k, group)
    course.endMs = endMs
    return ms
  }

  function mismatchMs(course: WindowState, group: Group): number {
    const { accepted, refused, lastAcceptedMs, lastRefusedMs } = group
    const early = accepted > 0 ? timeOf(course, accepted, group) - lastAcceptedMs : 0
    const late = refused > 0 ? lastRefusedMs - timeOf(course, accepted + 1, group) : 0
    return Math.min(window.memoryMs, Math.max(0, early, late))
  }

  function likeliest(courses: readonly WindowState[], group: Group): WindowState {
    let best = courses[0]!
    let least = Infinity
    for (const course of courses) {
      const lostMs = course.lostMs + mismatchMs(course, group)
      if (lostMs < least) {
        least = lostMs
        best = course
      }
    }
    return best
  }
}

/** One course or two come of it. */
function advanceInto(
  all: WindowState[],
  course: WindowState,
  group: Group,
  refused: number,
  { window, limit }: { window: Model<WindowState>; limit: number },
): void {
  const { firstMs, lastMs, accepted } = group
  const { endMs, errorMs, count } = course
  const isOpen = errorMs > 0 && lastMs > endMs - errorMs && firstMs < endMs + errorMs
  if (isOpen && accepted === 0 && count >= limit) {
    const fromMs = Math.max(endMs - errorMs, group.lastRefusedMs)
    all.push(ending(course, fromMs, endMs + errorMs))
    return
  }
  if (!isOpen || accepted === 0 || count + accepted > limit || refused > 0) {
    window.advance(course, group, refused)
    all.push(course)
    return
  }
  const next = window.fresh()
  next.lostMs = course.lostMs
  window.advance(next, group, refused)
  const same = ending(course, Math.max(endMs - errorMs, lastMs), endMs + errorMs)
  same.count = count + accepted
  all.push(next, same)
}

function ending(course: WindowState, fromMs: number, toMs: number): WindowState {
  const lowMs = Math.min(fromMs, toMs)
  const same = copyOf(course)
  same.endMs = (lowMs + toMs) / 2
  same.errorMs = (toMs - lowMs) / 2
  return same
}
