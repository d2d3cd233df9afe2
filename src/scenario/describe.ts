/**
 * The plan as data: what the journal, `--dry-run` and `result.json` contain of it, and its hash.
 */
import { hashText } from '../base/random.ts'
import type { ArrivalPlan, Plan } from './plan.ts'

/**
 * The plan's own keys, as JSON: functions are replaced by descriptions, and header values (which
 * may be secret) are hidden.
 */
export interface PlanDocument extends Omit<Plan, 'arrivals' | 'inputs' | 'checks' | 'http'> {
  arrivals: ArrivalDocument
  /** For example `3 entries, in order`. */
  inputs: string
  /** The names of the checks. */
  checks: readonly string[]
  http: Omit<Plan['http'], 'headers'> & { headers: readonly string[] }
}

/** A replayed schedule may be long, so its number, end and hash represent it. */
type ArrivalDocument =
  | Exclude<ArrivalPlan, { kind: 'replay' }>
  | { kind: 'replay'; arrivals: number; lastMicros: number; offsetsHash: string }

export function describePlan(plan: Plan): PlanDocument {
  return {
    ...plan,
    arrivals: describeArrivals(plan.arrivals),
    inputs: plan.inputs.description ?? 'made by a function',
    checks: plan.checks.map(({ name }) => name),
    http: { ...plan.http, headers: Object.keys(plan.http.headers).sort() },
  }
}

/**
 * Sixteen hex digits over the canonical JSON (keys sorted): equal plans have equal hashes on any
 * machine.
 */
export function planHash(document: PlanDocument): string {
  return hash64(canonicalJson(document))
}

function describeArrivals(arrivals: ArrivalPlan): ArrivalDocument {
  if (arrivals.kind !== 'replay') return arrivals
  const { offsetsMicros } = arrivals
  return {
    kind: 'replay',
    arrivals: offsetsMicros.length,
    lastMicros: offsetsMicros.at(-1) ?? 0,
    offsetsHash: hash64(offsetsMicros.join(',')),
  }
}

const SECOND_BASIS = 0x1b87_3593

function hash64(text: string): string {
  const halves = [hashText(text), hashText(text, SECOND_BASIS)]
  return halves.map((half) => half.toString(16).padStart(8, '0')).join('')
}

/** JSON with sorted keys. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
