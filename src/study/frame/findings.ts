/** Findings beside an answer: a study lists rules, and each says something or nothing. */
import type { Finding } from '../../result/document.ts'

/** How severe it is, and what it says of the facts: nothing (null), or a message each. */
export type FindingRule<Facts> = readonly [
  Finding['severity'],
  (facts: Facts) => string | null | readonly string[],
]

/** In the order of the rules. */
export function findingsBy<Facts>(rules: readonly FindingRule<Facts>[], facts: Facts): Finding[] {
  return rules.flatMap(([severity, says]) =>
    [says(facts) ?? []].flat().map((message) => ({ severity, message })),
  )
}
