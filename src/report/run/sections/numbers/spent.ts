/** What the run spent; absent if no price of a kickoff was given. */
import type { ResultDocument } from '../../../../result/document.ts'
import { spentWords } from '../../../../result/metrics/format.ts'
import type { Fact } from '../../../frame/report.ts'
import type { RunSection } from '../section.ts'

export const SPENT: RunSection = {
  chapter: 'All numbers',
  title: null,
  blocks: () => [],
  furtherFacts: spentFacts,
}

export function spentFacts({ run: { spent } }: ResultDocument): Fact[] {
  if (spent === undefined) return []
  return [{ name: 'Spent', text: spentWords(spent.kickoffs, spent.costPerKickoff) }]
}
