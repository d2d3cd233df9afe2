/** The values themselves, when they are so few that quantiles say less; absent otherwise. */
import { formatMs } from '../../../frame/format.ts'
import type { RunSection } from '../section.ts'

export const FEW_VALUES: RunSection = {
  chapter: 'How long people wait',
  title: 'Too few for quantiles: the individual values',
  blocks: ({ distributions }) => [
    {
      kind: 'table',
      columns: [
        { title: 'what' },
        { title: 'values, in increasing order' },
        { title: 'unfinished', kind: 'number' },
        { title: 'never', kind: 'number' },
      ],
      rows: Object.values(distributions)
        .filter(({ values = [] }) => values.length > 0)
        .map(({ title, values = [], censored, never }) => [
          title,
          values.map((value) => formatMs(value)).join(', '),
          String(censored),
          String(never),
        ]),
      empty: null,
      on: ['page'],
    },
  ],
}
