/**
 * A profile in wall time: a time-lapse divides its times once, before the model is made. After
 * that, nothing in the model knows the speed.
 */
import { scale } from '../../src/base/distribution.ts'
import type { Distribution } from '../../src/base/distribution.ts'
import type { Micros, Rate } from '../../src/base/units.ts'
import type { LimitProfile } from './limits/profile.ts'
import type { Profile } from './profile.ts'
import type { CapacityProfile } from './work/profile.ts'
import { scriptAtSpeed } from './scripts.ts'
import type { FixedTimes } from './work/shared/provider.ts'
import { fixedTimes } from './work/shared/provider.ts'

/** HTTP latency is as it was written. Faults are not part of it: they are divided when added. */
export interface WallProfile extends Omit<Profile, 'speed' | 'faults'> {
  fixed: FixedTimes
}

export function wallProfile(profile: Profile): WallProfile {
  const { speed, faults: _, ...wall } = structuredClone(profile)
  const slow = (of: Distribution): Distribution => scale(of, 1 / speed)
  for (const task of wall.tasks) {
    task.duration = slow(task.duration)
    if (task.asks?.for !== undefined) task.asks.for = slow(task.asks.for)
  }
  wall.overhead = slow(wall.overhead)
  if (wall.retentionMicros !== null) wall.retentionMicros /= speed
  divideCapacity(wall.capacity, speed)
  for (const rule of wall.limits.rules) divideLimit(rule, speed)
  for (const script of wall.scripts ?? []) scriptAtSpeed(script, speed)
  if (wall.webhooks !== undefined) {
    wall.webhooks.delay = slow(wall.webhooks.delay)
    if (wall.webhooks.retry !== undefined) wall.webhooks.retry.wait /= speed
  }
  return { ...wall, fixed: fixedTimes(speed) }
}

function divideCapacity(capacity: CapacityProfile, speed: number): void {
  const { overLimit, coldStart, quota, scaling } = capacity
  if (overLimit.retryAfterSeconds !== null) {
    overLimit.retryAfterSeconds = Math.ceil(overLimit.retryAfterSeconds / speed)
  }
  if (coldStart !== null) {
    coldStart.delay = scale(coldStart.delay, 1 / speed)
    coldStart.idleMicros /= speed
  }
  if (quota !== undefined) quota.calls.perMicros /= speed
  if (scaling !== undefined) {
    scaling.upAfterMicros /= speed
    scaling.downAfterMicros /= speed
  }
}

function divideLimit(limit: LimitProfile, speed: number): void {
  const { algorithm } = limit
  limit.blockMicros = wholeAt(limit.blockMicros, speed)
  if ('windowMicros' in algorithm) algorithm.windowMicros = wholeAt(algorithm.windowMicros, speed)
  if ('rate' in algorithm) algorithm.rate = rateAt(algorithm.rate, speed)
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
