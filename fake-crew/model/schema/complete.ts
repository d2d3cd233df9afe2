/** From the checked words of a profile's author to the profile that the model reads. */
import { MICROS_PER_SECOND } from '../../../src/units.ts'
import type { Profile } from '../profile.ts'
import { toLimits } from './limits.ts'
import type { WrittenProfile } from './profile.ts'

export function toProfile(written: WrittenProfile, fallbackName: string): Profile {
  const { description, seed, speed, dialect, inputs, tasks, tokens } = written
  return {
    name: written.name ?? fallbackName,
    description,
    seed,
    speed,
    dialect,
    inputs,
    tasks,
    stuckChance: written.stuck,
    capacity: toCapacity(written.capacity),
    http: { latency: written.http.latency, pool: written.http.pool ?? null },
    retentionMicros: written.retention,
    tokens,
    limits: toLimits(written.limits),
    faults: written.faults,
  }
}

function toCapacity(written: WrittenProfile['capacity']): Profile['capacity'] {
  const { workers, queueLimit, overLimit, coldStart } = written
  const { status, retryAfter } = overLimit
  return {
    workers,
    queueLimit,
    overLimit: {
      status,
      retryAfterSeconds: retryAfter === null ? null : retryAfter / MICROS_PER_SECOND,
    },
    coldStart:
      coldStart === undefined ? null : { delay: coldStart.delay, idleMicros: coldStart.idle },
  }
}
