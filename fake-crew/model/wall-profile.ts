/**
 * A profile in wall time: a time-lapse divides its times once, before the model is made. After
 * that, nothing in the model knows the speed.
 */
import { scale } from '../../src/base/distribution.ts'
import type { Distribution } from '../../src/base/distribution.ts'
import type { Micros, Rate } from '../../src/base/units.ts'
import type { AlgorithmProfile } from './limits/algorithms/list.ts'
import type { LimitProfile } from './limits/profile.ts'
import type { Profile } from './profile.ts'
import type { CapacityProfile, TaskProfile } from './work/profile.ts'
import type { FixedTimes } from './work/shared/provider.ts'
import { fixedTimes } from './work/shared/provider.ts'

/** HTTP latency is as it was written. Faults are not part of it: they are divided when added. */
export interface WallProfile extends Omit<Profile, 'speed' | 'faults'> {
  fixed: FixedTimes
}

interface Lapse {
  time: (micros: Micros) => Micros
  distribution: (distribution: Distribution) => Distribution
  speed: number
}

export function wallProfile({ speed, faults: _faults, ...profile }: Profile): WallProfile {
  const time = (micros: Micros): Micros => micros / speed
  const distribution = (of: Distribution): Distribution => (speed === 1 ? of : scale(of, 1 / speed))
  const lapse = { time, distribution, speed }
  const { retentionMicros, limits } = profile
  return {
    ...profile,
    tasks: profile.tasks.map((task) => taskAt(task, lapse)),
    overhead: distribution(profile.overhead),
    capacity: capacityAt(profile.capacity, lapse),
    retentionMicros: retentionMicros === null ? null : time(retentionMicros),
    limits: {
      ...limits,
      rules: limits.rules.map((rule) => limitAt(rule, speed)),
    },
    fixed: fixedTimes(speed),
  }
}

function taskAt({ duration, asks, ...task }: TaskProfile, { distribution }: Lapse): TaskProfile {
  return {
    ...task,
    duration: distribution(duration),
    ...(asks === undefined ? {} : { asks: { ...asks, for: distribution(asks.for) } }),
  }
}

function capacityAt(capacity: CapacityProfile, { time, distribution, speed }: Lapse) {
  const { overLimit, coldStart, quota, scaling } = capacity
  const seconds = overLimit.retryAfterSeconds
  return {
    ...capacity,
    overLimit: {
      ...overLimit,
      retryAfterSeconds: seconds === null ? null : Math.ceil(seconds / speed),
    },
    coldStart:
      coldStart === null
        ? null
        : {
            ...coldStart,
            delay: distribution(coldStart.delay),
            idleMicros: time(coldStart.idleMicros),
          },
    ...(quota === undefined
      ? {}
      : { quota: { ...quota, calls: { ...quota.calls, perMicros: time(quota.calls.perMicros) } } }),
    ...(scaling === undefined
      ? {}
      : {
          scaling: {
            ...scaling,
            upAfterMicros: time(scaling.upAfterMicros),
            downAfterMicros: time(scaling.downAfterMicros),
          },
        }),
  }
}

function limitAt({ algorithm, blockMicros, ...limit }: LimitProfile, speed: number): LimitProfile {
  return {
    ...limit,
    algorithm: algorithmAt(algorithm, speed),
    blockMicros: wholeAt(blockMicros, speed),
  }
}

function algorithmAt(algorithm: AlgorithmProfile, speed: number): AlgorithmProfile {
  if ('windowMicros' in algorithm) {
    return { ...algorithm, windowMicros: wholeAt(algorithm.windowMicros, speed) }
  }
  return 'rate' in algorithm ? { ...algorithm, rate: rateAt(algorithm.rate, speed) } : algorithm
}

/** Limiters count in whole microseconds. A time other than 0 remains at least one. */
function wholeAt(micros: Micros, speed: number): Micros {
  return micros === 0 ? 0 : Math.max(1, Math.round(micros / speed))
}

/** Exact where the count stays whole; else within half a microsecond. */
function rateAt({ count, perMicros }: Rate, speed: number): Rate {
  const most = count * speed
  return Number.isInteger(most)
    ? { count: most, perMicros }
    : { count, perMicros: wholeAt(perMicros, speed) }
}
