/** Why the crew does not do what it was asked; each dialect words these differently. */
import type { Operation } from '../../src/crew/answer.ts'
import type { LimitStatus } from './limits/profile.ts'

/** The statuses that a proxy returns for an instance that does not answer yet. */
export const WAKING_STATUSES = [502, 503, 504] as const
type WakingStatus = (typeof WAKING_STATUSES)[number]

export type Refusal =
  /** `presented`: credentials were sent, and they were wrong. */
  | { kind: 'unauthenticated'; presented: boolean }
  | { kind: 'forbidden'; operation: Operation }
  | { kind: 'no-such-path'; path: string }
  /** `resumed`: a person's answer was accepted for it all the same. */
  | { kind: 'no-such-execution'; kickoffId: string; resumed?: boolean }
  | { kind: 'method-not-allowed'; method: string; allow: string }
  | { kind: 'too-large'; limitBytes: number }
  | { kind: 'unsupported-media-type' }
  | { kind: 'not-json' }
  | { kind: 'wrong-shape'; problem: string }
  | { kind: 'too-deep'; levels: number }
  /** Names in the profile's order. */
  | { kind: 'missing-inputs'; names: readonly string[] }
  | { kind: 'missing-members'; names: readonly string[] }
  | { kind: 'over-limit'; status: 429 | 503; retryAfterSeconds: number | null }
  | { kind: 'rate-limited'; status: LimitStatus }
  | { kind: 'waking'; status: WakingStatus; retryAfterSeconds: number | null }
  /** A proxy got no answer from its target; `why` says so in a few words. */
  | { kind: 'no-target'; why: string }
  | { kind: 'internal' }

/**
 * Standard phrases of the statuses of refusals, gateways and overloaded servers (RFC 9110, section
 * 15; 429: RFC 6585; 529 is in no standard).
 */
export const PHRASES = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  529: 'Overloaded',
} as const

/** Headers of a refusal, the same in every dialect. */
export function refusalHeaders(refusal: Refusal): Record<string, string> {
  if (refusal.kind === 'unauthenticated') return { 'www-authenticate': 'Bearer' }
  if (refusal.kind === 'method-not-allowed') return { allow: refusal.allow }
  const seconds = 'retryAfterSeconds' in refusal ? refusal.retryAfterSeconds : null
  return seconds === null ? {} : { 'retry-after': String(seconds) }
}

/** The same text in every dialect. */
export function tooDeep(levels: number): string {
  return `The body is nested more than ${levels} levels deep`
}

/** The same text in every dialect. */
export function missingMembers(names: readonly string[]): string {
  return `Missing fields: ${names.join(', ')}`
}

/** Named so that nobody takes it for the target's own answer. */
export function noTarget(why: string): string {
  return `The fake crew's proxy got no answer from its target: ${why}`
}
