/** Fixed window: `limit` requests in each, on the calendar or from the first request on. */
import type { Clues, Hypothesis, Model, Parameters } from './hypothesis.ts'
import { modelOf, parametersOf } from './hypothesis.ts'
import type { RequestGroup } from '../evidence/groups.ts'

/** A window that begins with the first request. */
export function windowFromHit({ limit, windowMs }: Parameters, sigmaMs: number): Model<Courses> {
  const window = fixedWindow(limit, windowMs, sigmaMs, (ms) => ms + windowMs, true)
  return inCourses(window, limit, sigmaMs)
}

export function windowByClock(parameters: Parameters, sigmaMs: number): Model<WindowState> {
  const { limit, windowMs } = parameters
  return fixedWindow(limit, windowMs, sigmaMs, calendarEnd(parameters), false)
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
    parametersOf({ windowMs, phaseMs: msIntoWindow(random.pick(begins), windowMs) }),
  )
}

/** So many limits are tried for a seed where not all are. */
const LIMITS = 2

/**
 * Combines each seed with the limits that the refusals imply. Finding them takes as long as a
 * replay.
 */
export function withLimits(clues: Clues, seeds: readonly Parameters[], most: number): Parameters[] {
  const each = seeds.length > most ? LIMITS : Infinity
  return sample(clues, seeds, most / LIMITS).flatMap((seed) =>
    sample(clues, clues.limitsOf(seed), each).map((limit) => parametersOf(seed, { limit })),
  )
}

/** The likeliest first; at least one. */
interface Courses {
  courses: WindowState[]
}

/** So many are followed at most. */
const MOST_COURSES = 4

/**
 * Where a window began with a late request, its end is known no better, and what comes about then
 * may be part of it or begin the next: both courses of events are followed, until answers tell
 * which.
 *
 * `window`: one that begins with the first request.
 */
function inCourses(window: Model<WindowState>, limit: number, sigmaMs: number): Model<Courses> {
  return modelOf<Courses>({
    memoryMs: window.memoryMs,
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
  })

  /** The end that suits best: an early one for what was let in, a late one for what was refused. */
  function timeOf(course: WindowState, k: number, group: RequestGroup): number {
    const { endMs, errorMs } = course
    if (errorMs === 0) return window.timeOf(course, k, group)
    course.endMs = k <= group.accepted ? endMs - errorMs : endMs + errorMs
    const ms = window.timeOf(course, k, group)
    course.endMs = endMs
    return ms
  }

  function mismatchMs(course: WindowState, group: RequestGroup): number {
    const { accepted, refused, lastAcceptedMs, lastRefusedMs } = group
    const early = accepted > 0 ? timeOf(course, accepted, group) - lastAcceptedMs : 0
    const late = refused > 0 ? lastRefusedMs - timeOf(course, accepted + 1, group) : 0
    return Math.min(window.memoryMs, Math.max(0, early, late))
  }

  function likeliest(courses: readonly WindowState[], group: RequestGroup): WindowState {
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
  group: RequestGroup,
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

interface WindowState {
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
function copyOf({ endMs, count, errorMs, lostMs }: WindowState): WindowState {
  return { endMs, count, errorMs, lostMs }
}

/**
 * A group this many usual errors, its own and that of the boundary from it, may be on its other
 * side.
 */
const NEAR = 3

/** `endFrom`: the end of a window in which a request at this time is. */
function fixedWindow(
  limit: number,
  windowMs: number,
  sigmaMs: number,
  endFrom: (ms: number) => number,
  isFromHit: boolean,
): Model<WindowState> {
  return modelOf<WindowState>({
    memoryMs: windowMs,
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
  })

  function advanceWindow(state: WindowState, group: RequestGroup, refused: number): void {
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
  function hitBefore(ms: number, number: number, { arrivalsMs }: RequestGroup): number {
    return isFromHit ? Math.min(ms, arrivalsMs[number] ?? Infinity) : ms
  }
}

interface ElasticState {
  endMs: number
  count: number
}

function elastic({ limit, windowMs }: Parameters): Model<ElasticState> {
  return modelOf<ElasticState>({
    memoryMs: windowMs,
    raises: true,
    fresh: () => ({ endMs: -Infinity, count: 0 }),
    copy: ({ endMs, count }) => ({ endMs, count }),
    timeOf: ({ endMs, count }, k, { firstMs }) => {
      if (k > limit) return Infinity
      return firstMs >= endMs || k <= limit - count ? -Infinity : endMs
    },
    advance: (state, { firstMs, lastMs, accepted }, refused) => {
      if (accepted + refused === 0) return
      const isNew = firstMs >= state.endMs || accepted > limit - state.count
      state.count = (isNew ? 0 : state.count) + accepted + refused
      state.endMs = lastMs + windowMs
    },
    used: ({ endMs, count }, firstMs) => (firstMs < endMs ? count : 0),
  })
}

export const elasticWindow: Hypothesis = {
  name: 'fixed window, last hit',
  kind: 'fixed-window',
  aligned: 'last-hit',
  countsRefused: true,
  prior: -4,
  needsCounts: true,
  has: ['limit', 'windowMs'],
  model: elastic,
  seeds: (clues, most) => withLimits(clues, lengthSeeds(clues), most),
}

const SHORTEST_MS = 300
const LONGEST_MS = 400_000
/** Headers tell whole seconds. */
const ROUNDED_MS = 1_000

/** Times from an acceptance to a later re-admission, drawn within their uncertainty. */
function lengthsToReadmissions({ groups, readmissions, random }: Clues): number[] {
  const lengths: number[] = []
  for (const { fromMs, toMs } of readmissions.slice(-8)) {
    for (const { accepted, firstMs } of groups.slice(-40)) {
      if (accepted === 0 || firstMs >= toMs) continue
      const from = Math.max(0, fromMs - firstMs)
      for (let i = 0; i < 2; i++) lengths.push(from + random.next() * (toMs - firstMs - from))
    }
  }
  return lengths.filter((ms) => ms >= SHORTEST_MS)
}

/** Drawn evenly over the logarithm: of windows, unless others are given. */
export function spreadLengths(
  { random }: Clues,
  count: number,
  [shortestMs, longestMs] = [SHORTEST_MS, LONGEST_MS],
): number[] {
  const range = Math.log(longestMs / shortestMs)
  return Array.from({ length: count }, () => shortestMs * Math.exp(range * random.next()))
}

/** Window lengths that headers promise, within the half second by which they are rounded. */
export function promisedLengths({ promise, random }: Clues, each: number): number[] {
  if (promise === null) return []
  return promise.timesMs.flatMap((ms) =>
    Array.from({ length: each }, () =>
      Math.max(SHORTEST_MS, ms + (random.next() - 0.5) * ROUNDED_MS),
    ),
  )
}

/** Times at which a re-admission can have begun. */
function boundaries({ readmissions, groups, random }: Clues, each: number): number[] {
  const known = groups.flatMap(({ restored }) => (restored === null ? [] : [restored]))
  return [...readmissions.slice(-8), ...known.slice(-8)].flatMap(({ fromMs, toMs }) =>
    Array.from({ length: each }, () => fromMs + random.next() * (toMs - fromMs)),
  )
}

export function sample<T>({ random }: Clues, list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list]
  return Array.from({ length: most }, () => random.pick(list))
}

/** `ms` modulo `windowMs`, from 0. */
export function msIntoWindow(ms: number, windowMs: number): number {
  return ((ms % windowMs) + windowMs) % windowMs
}
