/** How a threshold stands, as every report shows it. */
import type { ThresholdResult } from '../../result/document.ts'
import { isByValueAlone } from '../../result/verdict/judge.ts'

/** `within`: met by its value, as its author asked, but not proven by its interval. */
export type Standing = ThresholdResult['status'] | 'within'

export function standingOf(result: ThresholdResult): Standing {
  return isByValueAlone(result) ? 'within' : result.status
}

/** Beside the number of those that are met, in this order. */
export const OTHER_STANDINGS: readonly (readonly [Standing, words: string])[] = [
  ['within', 'met by value alone'],
  ['missed', 'missed'],
  ['undecided', 'undecided'],
  ['unmeasurable', 'unmeasurable'],
  ['notJudged', 'not judged'],
]
