/**
 * The ids of traces and spans. They are derived from the run, so that every part of it computes the
 * same ones.
 */
import { fmix32, hashText } from '../../base/random.ts'
import type { CrewRequest } from '../../crew/crew-request.ts'
import { correlationId } from '../../crew/crew-request.ts'

const TRACE_WORDS = 4
const SPAN_WORDS = 2
const WORDS = 2 ** 32

/** 32 hex digits for the execution of this index. */
export function traceIdOf(runId: string, index: number): string {
  return traceIdFor(correlationId(runId, index))
}

function traceIdFor(correlation: string): string {
  return hexOf(`trace ${correlation}`, TRACE_WORDS)
}

/** 16 hex digits for the n-th span of an execution; 0 is the execution itself. */
export function spanIdOf(runId: string, index: number, n: number): string {
  return spanIdFor(correlationId(runId, index), n)
}

function spanIdFor(correlation: string, n: number): string {
  return hexOf(`span ${correlation} ${n}`, SPAN_WORDS)
}

/**
 * The `traceparent` of every request of an execution (W3C Trace Context, version 00, sampled): its
 * parent is the span of the execution. Null for one outside of executions, and for one whose trace
 * is not sent: then the crew decides itself what it samples.
 */
export function traceparentOf(
  { correlation, execution }: Pick<CrewRequest, 'correlation' | 'execution'>,
  share: number,
): string | null {
  if (share <= 0 || execution < 0) return null
  const traceId = traceIdFor(correlation)
  return isSampled(traceId, share) ? `00-${traceId}-${spanIdFor(correlation, 0)}-01` : null
}

/** Whether a trace belongs to this share of all: decided by its id alone. */
export function isSampled(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-8), 16) / WORDS < share
}

/** Never all zeros, which W3C's Trace Context forbids. */
function hexOf(text: string, words: number): string {
  const first = hashText(text)
  const all = Array.from({ length: words }, (_, i) => hashText(text, fmix32(first + i + 1)))
  const hex = all.map((word) => word.toString(16).padStart(8, '0')).join('')
  return /^0*$/.test(hex) ? hex.replace(/.$/, '1') : hex
}
