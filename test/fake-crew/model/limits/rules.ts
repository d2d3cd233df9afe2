/** Plain limits for the tests of this room. */
import type { LimitProfile, LimitsProfile } from '../../../../fake-crew/model/limits/profile.ts'
import type { Profile } from '../../../../fake-crew/model/profile.ts'
import { SECOND, sampleProfile } from '../../sample-profile.ts'

export const MINUTE = 60 * SECOND

/** Two requests in a minute, from the first on. */
export function rule(changes: Partial<LimitProfile> = {}): LimitProfile {
  return {
    name: 'default',
    operations: ['inputs', 'kickoff', 'status'],
    quota: 'shared',
    per: 'token',
    algorithm: { kind: 'fixed-window', limit: 2, windowMicros: MINUTE, from: 'first hit' },
    rejected: 'free',
    blockMicros: 0,
    refusal: { status: 429, retryAfter: 'seconds' },
    ...changes,
  }
}

export function limited(
  rules: readonly LimitProfile[],
  headers: LimitsProfile['headers'] = 'draft-10',
  changes: Partial<Profile> = {},
): Profile {
  return sampleProfile({ limits: { bodyBytes: 1_000, headers, rules }, ...changes })
}

export const ONCE = {
  kind: 'fixed-window',
  limit: 1,
  windowMicros: MINUTE,
  from: 'first hit',
} as const
