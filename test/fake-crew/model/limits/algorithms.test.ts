/**
 * Each limiter admits what a slow reference written from its definition admits, and what it tells
 * of its quota is true.
 */
import { describe, expect, test } from 'vitest'
import type { Algorithm, AlgorithmQuota } from '../../../../fake-crew/model/limits/definition.ts'
import { LIMITERS } from '../../../../fake-crew/model/limits/algorithms/list.ts'
import type { PenaltyState } from '../../../../fake-crew/model/limits/limits.ts'
import { Penalty } from '../../../../fake-crew/model/limits/limits.ts'
import type { Random } from '../../../../src/base/random.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { areExperimentsRun } from '../../../experiments.ts'
import type { Past, Reference } from './references.ts'
import * as references from './references.ts'

const SEQUENCES = areExperimentsRun ? 10_000 : 1_000
const TRUTHS = areExperimentsRun ? 500 : 100

type Rejected = 'free' | 'counted'

/** A limiter and its definition, with the length of time that matters to it. */
interface Subject {
  algorithm: Algorithm<unknown>
  reference: Reference
  scaleMicros: number
}

type Drawn = (random: Random, rejected: Rejected) => Subject

const RATES = [
  { count: 1, perMicros: 1_000 },
  { count: 600, perMicros: 60_000_000 },
  { count: 7, perMicros: 1_000_000 },
  { count: 0.5, perMicros: 1_000_000 },
  { count: 2.5, perMicros: 999 },
]

/** For limiters that know no calendar. */
const AT_EPOCH = { anchorUnixMs: 0 }

function whole({ count, perMicros }: { count: number; perMicros: number }) {
  return { count: count * 2, perMicros: perMicros * 2 }
}

const tokenBucket: Drawn = (random, rejected) => {
  const rate = random.pick(RATES)
  const capacity = 1 + random.int(6)
  return {
    algorithm: LIMITERS.tokenBucket.algorithm({ kind: 'token-bucket', rate, capacity }, AT_EPOCH),
    reference: references.bucket(whole(rate), capacity, rejected),
    scaleMicros: Math.ceil(rate.perMicros / rate.count),
  }
}

function leakyBucket(excess: 'at once' | 'delayed'): Drawn {
  return (random, rejected) => {
    const rate = random.pick(RATES)
    const burst = random.int(6)
    return {
      algorithm: LIMITERS.leakyBucket.algorithm(
        { kind: 'leaky-bucket', rate, burst, excess },
        AT_EPOCH,
      ),
      reference:
        rejected === 'free'
          ? references.queue(whole(rate), burst)
          : references.bucket(whole(rate), burst + 1, rejected),
      scaleMicros: Math.ceil(rate.perMicros / rate.count),
    }
  }
}

const windows = (random: Random) => ({
  limit: 1 + random.int(6),
  windowMicros: random.pick([10, 1_000, 60_000_000]),
})

/** Where in a calendar window the model's time zero lies: anywhere, to the microsecond. */
function drawAnchor(random: Random, windowMicros: number) {
  // A thousandth of it is exact in binary, so that both round the same number down.
  const anchorUnixMs = random.int(60_000 * 1_024) / 1_024
  return { clock: { anchorUnixMs }, phaseMicros: Math.floor((anchorUnixMs * 1_000) % windowMicros) }
}

function fixedWindowFrom(from: 'calendar' | 'first hit' | 'last hit', random: Random) {
  const { limit, windowMicros } = windows(random)
  const { clock, phaseMicros } = drawAnchor(random, windowMicros)
  const profile = { kind: 'fixed-window', limit, windowMicros, from } as const
  return {
    limit,
    windowMicros,
    phaseMicros,
    algorithm: LIMITERS.fixedWindow.algorithm(profile, clock),
  }
}

const fixedWindow: Drawn = (random) => {
  const { limit, windowMicros, phaseMicros, algorithm } = fixedWindowFrom('calendar', random)
  return {
    algorithm,
    reference: references.calendarWindow(limit, windowMicros, phaseMicros),
    scaleMicros: windowMicros,
  }
}

const firstHit: Drawn = (random) => {
  const { limit, windowMicros, algorithm } = fixedWindowFrom('first hit', random)
  return {
    algorithm,
    reference: references.firstHitWindow(limit, windowMicros),
    scaleMicros: windowMicros,
  }
}

const lastHit: Drawn = (random, rejected) => {
  const { limit, windowMicros, algorithm } = fixedWindowFrom('last hit', random)
  return {
    algorithm,
    reference: references.lastHitWindow(limit, windowMicros, rejected),
    scaleMicros: windowMicros,
  }
}

const slidingLog: Drawn = (random, rejected) => {
  const { limit, windowMicros } = windows(random)
  return {
    algorithm: LIMITERS.slidingLog.algorithm(
      { kind: 'sliding-log', limit, windowMicros },
      AT_EPOCH,
    ),
    reference: references.log(limit, windowMicros, rejected),
    scaleMicros: windowMicros,
  }
}

function slidingCounter(estimate: 'exact' | 'rounded down'): Drawn {
  return (random, rejected) => {
    const { limit, windowMicros } = windows(random)
    const { clock, phaseMicros } = drawAnchor(random, windowMicros)
    const written = { limit, window: windowMicros, phase: phaseMicros, estimate }
    const profile = { kind: 'sliding-counter', limit, windowMicros, estimate } as const
    return {
      algorithm: LIMITERS.slidingCounter.algorithm(profile, clock),
      reference: references.counter(written, rejected),
      scaleMicros: windowMicros,
    }
  }
}

const concurrency: Drawn = (random, rejected) => {
  const limit = 1 + random.int(6)
  return {
    algorithm: LIMITERS.concurrency.algorithm({ kind: 'concurrency', limit }, AT_EPOCH),
    reference: references.concurrency(limit, rejected),
    scaleMicros: 1_000,
  }
}

const ALL: [string, Drawn][] = [
  ['token bucket', tokenBucket],
  ['leaky bucket, at once', leakyBucket('at once')],
  ['leaky bucket, delayed', leakyBucket('delayed')],
  ['fixed window of the calendar', fixedWindow],
  ['fixed window from the first hit', firstHit],
  ['fixed window until nothing has counted', lastHit],
  ['sliding log', slidingLog],
  ['sliding counter', slidingCounter('exact')],
  ['sliding counter, rounded down', slidingCounter('rounded down')],
  ['concurrency', concurrency],
]

/** Bursts, paces that hit boundaries exactly, and anything. */
function gap(random: Random, scaleMicros: number): number {
  switch (random.int(5)) {
    case 0:
    case 1:
      return 0
    case 2:
      return Math.round(scaleMicros / (1 + random.int(4)))
    case 3:
      return scaleMicros * random.int(3)
    default:
      return random.int(scaleMicros + 1)
  }
}

interface Trial {
  random: Random
  subject: Subject
  penalty: Penalty
  rejected: Rejected
  blockMicros: number
}

function drawTrial(drawn: Drawn, n: number, blocks: boolean): Trial {
  const random = createRandom(20_260_000 + n)
  const rejected = random.pick(['free', 'counted'] as const)
  const subject = drawn(random, rejected)
  const blockMicros = blocks ? 1 + random.int(3 * subject.scaleMicros) : 0
  const penalty = new Penalty(subject.algorithm, { rejected, blockMicros })
  return { random, subject, penalty, rejected, blockMicros }
}

/**
 * Runs one sequence; `at` sees the state before each request. Leaving answers are released in time.
 */
function run(
  { random, subject, penalty }: Trial,
  arrivals: number,
  at: (state: PenaltyState, now: number, past: readonly Past[]) => void,
): Past[] {
  const { algorithm, scaleMicros } = subject
  const state = penalty.fresh()
  const past: Past[] = []
  const inFlight: number[] = []
  let now = random.int(2 * scaleMicros)
  for (let n = 0; n < arrivals; n++) {
    for (const leaves of inFlight.filter((each) => each <= now)) {
      inFlight.splice(inFlight.indexOf(leaves), 1)
      algorithm.release?.(state.counted)
    }
    at(state, now, past)
    const admitted = penalty.quota(state, now).remaining > 0
    const leavesMicros = now + random.int(3 * scaleMicros)
    let counts = true
    if (admitted) penalty.admit(state, now)
    else counts = penalty.refuse(state, now)
    if (counts) inFlight.push(leavesMicros)
    past.push({ atMicros: now, admitted, leavesMicros })
    now += gap(random, scaleMicros)
  }
  return past
}

/** Position of each wrong decision. */
function disagreements({ reference }: Subject, past: readonly Past[]): number[] {
  return past.flatMap(({ atMicros, admitted }, n) =>
    reference(past.slice(0, n), atMicros) === admitted ? [] : [n],
  )
}

describe.each(ALL)('%s', (_, drawn) => {
  test('admits what its definition admits', () => {
    const wrong: string[] = []
    let admitted = 0
    let refused = 0
    for (let n = 0; n < SEQUENCES; n++) {
      const trial = drawTrial(drawn, n, false)
      const past = run(trial, 16, () => {})
      wrong.push(...disagreements(trial.subject, past).map((at) => `${n}: request ${at}`))
      const count = past.filter((each) => each.admitted).length
      admitted += count
      refused += past.length - count
    }
    expect(wrong.slice(0, 5)).toEqual([])
    expect(Math.min(admitted, refused)).toBeGreaterThan(SEQUENCES)
  })

  test('blocks as the definition of a block says', () => {
    const wrong: string[] = []
    for (let n = 0; n < SEQUENCES; n++) {
      const { subject, rejected, blockMicros, ...trial } = drawTrial(drawn, n, true)
      const past = run({ subject, rejected, blockMicros, ...trial }, 16, () => {})
      const reference = references.blocking(subject.reference, blockMicros, rejected)
      const blocked = { ...subject, reference }
      wrong.push(...disagreements(blocked, past).map((at) => `${n}: request ${at}`))
    }
    expect(wrong.slice(0, 5)).toEqual([])
  })

  test('tells the truth of its quota', () => {
    for (let n = 0; n < TRUTHS; n++) {
      const trial = drawTrial(drawn, n, n % 2 === 0)
      const told: string[] = []
      run(trial, 12, (state, now) => told.push(...lies(trial, state, now)))
      expect(told, `sequence ${n}`).toEqual([])
    }
  })
})

/** What a quota promises and does not keep, tried out on copies of the state. */
function lies({ penalty, subject }: Trial, state: PenaltyState, now: number): string[] {
  const copy = (): PenaltyState => structuredClone(state)
  const at = (micros: number): AlgorithmQuota => penalty.quota(copy(), micros)
  const quota = at(now)
  const { limit, remaining, moreMicros, fullMicros } = quota
  const timed = subject.algorithm.windowMicros !== null
  const fresh = JSON.stringify(penalty.quota(penalty.fresh(), now))
  const kept: Record<string, boolean> = {
    remaining: admittedAtOnce(penalty, copy(), now) === remaining,
    more:
      moreMicros === null
        ? remaining === limit || !timed
        : moreMicros > 0 &&
          at(now + moreMicros - 1).remaining === remaining &&
          at(now + moreMicros).remaining > remaining,
    full:
      fullMicros === null
        ? !timed
        : at(now + fullMicros).remaining === limit &&
          at(now + fullMicros).fullMicros === 0 &&
          (fullMicros === 0 || at(now + fullMicros - 1).fullMicros === 1),
    'as good as new': fullMicros !== 0 || JSON.stringify(quota) === fresh,
  }
  return Object.keys(kept).filter((promise) => kept[promise] === false)
}

/** Of one more than the limit. */
function admittedAtOnce(penalty: Penalty, state: PenaltyState, now: number): number {
  const { limit } = penalty.quota(state, now)
  for (let admitted = 0; admitted <= limit; admitted++) {
    if (penalty.quota(state, now).remaining === 0) return admitted
    penalty.admit(state, now)
  }
  return limit + 1
}

test('a delaying leaky bucket holds each request back until its turn', () => {
  for (let n = 0; n < TRUTHS; n++) {
    const random = createRandom(n)
    const rate = random.pick(RATES)
    const profile = { kind: 'leaky-bucket', rate, burst: random.int(6), excess: 'delayed' } as const
    const bucket = LIMITERS.leakyBucket.algorithm(profile, AT_EPOCH)
    const scaleMicros = Math.ceil(rate.perMicros / rate.count)
    const subject = { algorithm: bucket, reference: () => true, scaleMicros }
    const penalty = new Penalty(bucket, { rejected: 'free', blockMicros: 0 })
    const trial = { random, subject, penalty, rejected: 'free' as const, blockMicros: 0 }
    run(trial, 16, (state, now, past) => {
      if (penalty.quota(state, now).remaining === 0) return
      const held = bucket.holdMicros!(state.counted, now)
      expect(held).toBe(references.turnMicros(whole(rate), past, now))
    })
  }
})
