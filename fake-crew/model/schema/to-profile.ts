/** Converts the validated input of a profile's author to the profile that the model reads. */
import { unreachable } from '../../../src/base/assert.ts'
import { MICROS_PER_SECOND } from '../../../src/base/units.ts'
import type { ColdStartProfile, Profile } from '../profile.ts'
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
    ...ofSomeCrews(written),
    tasks,
    overhead: written.overhead,
    stuckChance: written.stuck,
    capacity: toCapacity(written.capacity),
    http: { latency: written.http.latency, pool: written.http.pool ?? null },
    retentionMicros: written.retention,
    tokens,
    limits: toLimits(written.limits),
    faults: written.faults,
  }
}

function ofSomeCrews({ optionalInputs, paths, progress }: WrittenProfile) {
  return {
    ...(optionalInputs === undefined ? {} : { optionalInputs }),
    ...(paths === undefined ? {} : { paths }),
    ...(progress === undefined ? {} : { progress }),
  }
}

function toCapacity(written: WrittenProfile['capacity']): Profile['capacity'] {
  const { queueLimit, overLimit, coldStart } = written
  const { status, retryAfter } = overLimit
  return {
    ...toWorkers(written),
    queueLimit,
    overLimit: {
      status,
      retryAfterSeconds: retryAfter === null ? null : retryAfter / MICROS_PER_SECOND,
    },
    coldStart: coldStart === undefined ? null : toColdStart(coldStart),
    ...toShared(written),
  }
}

function toWorkers({
  workers,
}: WrittenProfile['capacity']): Pick<Profile['capacity'], 'workers' | 'scaling'> {
  if (workers === null || typeof workers === 'number') return { workers }
  const { from, to, upAfter, downAfter } = workers
  return {
    workers: from,
    scaling: { to, upAfterMicros: upAfter, downAfterMicros: downAfter },
  }
}

function toShared({ quota, tokens, slowdown }: WrittenProfile['capacity']) {
  return {
    ...(quota === undefined ? {} : { quota }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(slowdown === undefined ? {} : { slowdown }),
  }
}

function toColdStart({
  delay,
  idle,
  requests,
  refusal,
}: NonNullable<WrittenProfile['capacity']['coldStart']>): ColdStartProfile {
  const sleep = { delay, idleMicros: idle }
  switch (requests) {
    case 'at once':
      return sleep
    case 'late':
      return { ...sleep, requests: { kind: 'late' } }
    case 'refused': {
      const { status, retryAfter } = refusal
      const told = { status, retryAfter: retryAfter === 'seconds' }
      return { ...sleep, requests: { kind: 'refused', ...told } }
    }
    default:
      return unreachable(requests)
  }
}
