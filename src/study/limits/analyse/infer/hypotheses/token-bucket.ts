/**
 * Token bucket: full at first, a token comes every `windowMs` up to `limit` of them, a request
 * takes one. A leaky bucket that refuses at once is the same from outside.
 */
import type { RequestGroup } from '../evidence/groups.ts'
import type { Clues, Hypothesis, Model, Parameters } from './hypothesis.ts'
import { modelOf, parametersOf } from './hypothesis.ts'
import { sample, spreadLengths } from './fixed-window.ts'

interface BucketState {
  tokens: number
  atMs: number
}

/** Just too little for a request. */
const UNDER_ONE = 1 - 1e-6

function bucket({ limit, windowMs }: Parameters, countsRefused: boolean): Model<BucketState> {
  const uncapped = ({ tokens, atMs }: BucketState, ms: number): number =>
    tokens + (ms - atMs) / windowMs
  return modelOf<BucketState>({
    memoryMs: limit * windowMs,
    raises: countsRefused,
    turnMs: windowMs,
    fresh: () => ({ tokens: limit, atMs: -Infinity }),
    copy: ({ tokens, atMs }) => ({ tokens, atMs }),
    timeOf: (state, k, { firstMs }) => {
      const tokens = uncapped(state, firstMs)
      if (k <= limit) return firstMs - (tokens - k) * windowMs
      return firstMs + (k - Math.min(limit, tokens)) * windowMs
    },
    advance: (state, { firstMs, lastMs, accepted, lastRefusedMs }, refused) => {
      const atFirst = Math.min(limit, uncapped(state, firstMs))
      let left = atFirst - accepted + (lastMs - firstMs) / windowMs
      if (refused > 0) {
        const since = (lastMs - lastRefusedMs) / windowMs
        left = countsRefused ? since : Math.min(left, UNDER_ONE + since)
      }
      state.tokens = Math.min(limit, Math.max(0, left))
      state.atMs = lastMs
    },
    used: () => 0,
  })
}

function tokenBucket(countsRefused: boolean): Hypothesis {
  return {
    name: countsRefused ? 'token bucket, refused count' : 'token bucket',
    kind: 'token-bucket',
    aligned: null,
    countsRefused,
    prior: countsRefused ? -0.7 : 0,
    has: ['limit', 'windowMs'],
    model: (parameters) => bucket(parameters, countsRefused),
    seeds: (clues, most) => sample(clues, bucketSeeds(clues), most),
  }
}

/** Rates from 200 a second to one in five minutes. */
const TOKEN_MS: [number, number] = [5, 300_000]

function bucketSeeds(clues: Clues): Parameters[] {
  const { groups, random, promise } = clues
  if (promise !== null) return countedSeeds(clues, promise)
  const first = groups.findIndex(({ refused }) => refused > 0)
  if (first === -1) return []
  const before = groups.slice(0, first + 1)
  const taken = before.reduce((sum, { accepted }) => sum + accepted, 0)
  const elapsedMs = before.at(-1)!.lastMs - before[0]!.firstMs
  const least = groups[first]!.accepted
  const intervals = [
    ...turnIntervals(clues),
    ...pairIntervals(groups, random),
    ...spreadLengths(clues, 60, TOKEN_MS),
  ]
  return intervals.flatMap((windowMs) => {
    const gained = Math.floor(elapsedMs / windowMs)
    const low = Math.max(1, least, taken - gained - 1)
    const drawn = low + random.int(Math.max(1, taken - low + 1))
    const missing = Math.ceil(missingAfter(before, windowMs))
    // A short ramp leaves few limits possible; a long one almost any, of which one fits the rate.
    const isLong = taken - low > MOST_TRIED
    const limits = new Set([...(isLong ? [missing, missing + 1] : [low, low + 1]), taken, drawn])
    return [...limits]
      .filter((limit) => limit >= Math.max(1, least))
      .map((limit) => parametersOf({ limit, windowMs }))
  })
}

/** Where at most so many limits are possible, moves find the right one from any of them. */
const MOST_TRIED = 8

/** How many tokens a bucket of any size lacks after these groups: all, if it refuses then. */
function missingAfter(groups: readonly RequestGroup[], windowMs: number): number {
  let missing = 0
  let atMs = 0
  for (const { firstMs, lastMs, accepted } of groups) {
    missing = Math.max(0, missing - (firstMs - atMs) / windowMs) + accepted
    missing -= Math.min(missing, (lastMs - firstMs) / windowMs)
    atMs = lastMs
  }
  return missing
}

/** The bucket's size is known, and so is what it gained from one answer to the next. */
function countedSeeds(
  clues: Clues,
  { limit, timesMs }: NonNullable<Clues['promise']>,
): Parameters[] {
  const { groups, random } = clues
  const counted = groups.filter(({ left }) => left !== null).slice(-20)
  const intervals = timesMs.map((ms) => ms / limit)
  for (const to of counted) {
    const from = random.pick(counted)
    if (from.lastMs >= to.firstMs) continue
    const within = groups.slice(groups.indexOf(from) + 1, groups.indexOf(to) + 1)
    const taken = within.reduce((sum, { accepted }) => sum + accepted, 0)
    const gained = taken + to.left!.count - from.left!.count
    if (gained > 0) intervals.push((to.lastMs - from.lastMs) / (gained + random.next() * 2 - 1))
  }
  return [...turnIntervals(clues), ...intervals, ...spreadLengths(clues, 60, TOKEN_MS)]
    .filter((ms) => ms > 0)
    .map((windowMs) => parametersOf({ limit, windowMs }))
}

/** Between two times at which the bucket was empty, as many tokens came as were taken. */
function pairIntervals(groups: readonly RequestGroup[], random: { next(): number }): number[] {
  const empty = groups.flatMap(({ refused }, i) => (refused > 0 ? [i] : []))
  const intervals: number[] = []
  for (const to of empty.slice(1).slice(-12)) {
    for (const from of empty.filter((i) => i < to).slice(-6)) {
      const taken = groups.slice(from + 1, to + 1).reduce((sum, { accepted }) => sum + accepted, 0)
      const ms = groups[to]!.lastRefusedMs - groups[from]!.lastRefusedMs
      if (taken > 0) intervals.push(ms / (taken + random.next() * 2 - 1 + 0.01))
    }
  }
  return intervals.filter((ms) => ms > 0)
}

/** Requests that are held back leave at the rate. */
function turnIntervals({ turn, random }: Clues): number[] {
  if (turn === null) return []
  return Array.from({ length: 20 }, () => turn.ms * Math.exp(turn.error * random.normal()))
}

export const tokenBuckets = [tokenBucket(false), tokenBucket(true)]
