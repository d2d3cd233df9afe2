/** What the run spent; absent if no price of a kickoff was given. */
import { spentWords } from '../../../../result/metrics/format.ts'
import type { RunSection } from '../section.ts'

export const SPENT: RunSection = {
  chapter: 'All numbers',
  title: null,
  blocks: () => [],
  furtherFacts: ({ run: { spent } }) =>
    spent === undefined
      ? []
      : [
          {
            name: 'Spent',
            text: spentWords(spent.kickoffs, spent.costPerKickoff),
            on: ['page', 'terminal', 'markdown'],
          },
        ],
}
