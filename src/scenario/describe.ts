/** Makes the plan as data of a plan, and its hash. */
import { hashText } from '../base/random.ts'
import type { PlanDocument } from './plan.schema.ts'
import type { ArrivalPlan, Plan } from './plan.ts'

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

function describeArrivals(arrivals: ArrivalPlan): PlanDocument['arrivals'] {
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
