/** Determines which promise breaks first, and why. */
import type { CapacityDocument } from '../document.ts'
import type { Criterion } from './model/criteria.ts'
import type { Limit } from './limit/limit.ts'
import type { CapacitySearch } from './search/search.ts'

type Binding = CapacityDocument['binding']

/** `why` is null where the loads do not tell what executions wait for. */
export function bindingOf(
  { estimate, learned }: Pick<CapacitySearch, 'estimate' | 'learned'>,
  criteria: readonly Criterion[],
  limit: Limit | null,
): Binding {
  if (estimate === null || estimate.solution.kind === 'no-limit') return null
  const { kind, broken } = estimate.solution
  if (broken === null) return { metric: null, why: 'the workers are always busy' }
  const criterion = criteria[broken]!
  const { metric } = criterion
  if (kind === 'fails-alone') return { metric, why: aloneWords(criterion) }
  const isUnknown = limit === null && learned.hidden === null
  if (isUnknown || limit?.kind === 'both') return { metric, why: null }
  const why = whyWords(criterion, estimate.system.queueLimit)
  return { metric, why: limit?.kind === 'shared' ? SHARED : why }
}

const SHARED = 'executions wait for something that all of them share'

function aloneWords({ boundMicros, metric }: Criterion): string {
  return boundMicros === null
    ? `${metric} is over its bound without any load`
    : 'executions take too long even without waiting'
}

function whyWords({ boundMicros, bad }: Criterion, queueLimit: number | null): string {
  if (boundMicros === null && bad.includes('rejected') && queueLimit !== null) {
    return queueLimit === 0
      ? 'no worker is free, and executions are turned away'
      : 'the queue is full, and executions are turned away'
  }
  if (boundMicros === null && bad.includes('stuck')) {
    return 'executions wait for a worker until their deadline has passed'
  }
  return 'executions wait for a worker'
}
