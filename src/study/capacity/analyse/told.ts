/** What is analysed in a study of capacity, and what is told of it whatever the verdict. */
import type { StudyFacts } from '../../frame/envelope.ts'
import type { TrialReason } from '../../frame/findings.ts'
import type { CapacityDocument, CapacityPlan } from '../document.ts'
import type { Criterion } from './model/criteria.ts'
import type { CapacitySearch } from './search/search.ts'

export interface Analysed {
  search: CapacitySearch
  plan: CapacityPlan
  criteria: readonly Criterion[]
  facts: StudyFacts
  invalid: readonly TrialReason[]
  wasOutOfTime: boolean
}

export type CapacityAnswer = Pick<
  CapacityDocument,
  | 'model'
  | 'saturation'
  | 'inFlight'
  | 'binding'
  | 'limit'
  | 'sharedPerHour'
  | 'oneMoreWorker'
  | 'scaling'
  | 'confirmation'
  | 'ladder'
  | 'recorded'
> & { capacity: { perHour: number; low: number; high: number } | null }
