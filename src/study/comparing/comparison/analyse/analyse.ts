/** Makes the document of what changed from the runs of one side to those of the other. */
import type { ComparedSides } from '../../comparable.ts'
import { apart, doubts, obstacles } from '../../comparable.ts'
import { changesBetween } from '../../compare.ts'
import type { Terms } from '../../shapes.ts'
import { failedBase, reachVerdict } from '../../verdict.ts'
import type { StudyFacts } from '../../../frame/envelope.ts'
import { findingsBy } from '../../../frame/findings.ts'
import type { ComparisonDocument } from '../document.ts'
import { FINDINGS } from '../document.ts'
import { longerAtLoad } from './longer.ts'

export function analyseComparison(
  sides: ComparedSides,
  { judged, terms, facts }: { judged: readonly string[]; terms: Terms; facts: StudyFacts },
): ComparisonDocument {
  const { base, new: next } = sides
  const changes = changesBetween(sides, judged, terms)
  const { metrics } = changes
  const { run } = next[0]!.result
  const verdict = reachVerdict({
    metrics,
    obstacles: obstacles(sides),
    terms,
    runs: [base.length, next.length],
    caveat: failedBase(changes),
  })
  const isProven = verdict.outcome === 'regression' || verdict.outcome === 'improvement'
  return {
    schema: 'crewload/comparison/1',
    study: 'comparison',
    ...facts,
    target: run.target,
    profile: run.profile,
    scenario: run.scenario,
    seed: null,
    findings: [
      ...doubts(sides),
      ...findingsBy(
        FINDINGS,
        [
          ['sides-apart', () => (isProven ? apart(sides) : null)],
          ['longer-at-load', () => longerAtLoad(sides, terms)],
        ],
        null,
      ),
    ],
    verdict,
    ...changes,
  }
}
