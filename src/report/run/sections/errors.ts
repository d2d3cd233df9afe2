/** Requests that failed, by operation and class. */
import { formatCount, formatMs } from '../../../base/numbers.ts'
import { columnsOf } from '../../text/table.ts'
import type { RunSection } from './section.ts'

export const ERRORS: RunSection = {
  chapter: 'What went wrong',
  title: 'Errors by operation',
  blocks: ({ errors }) => [
    {
      kind: 'table',
      columns: columnsOf(['operation', 'class'], ['count', 'first at']),
      rows: errors.map(({ operation, answer, count, firstMs }) => [
        operation,
        String(answer),
        formatCount(count),
        formatMs(firstMs),
      ]),
      empty: 'No request failed.',
      on: errors.length === 0 ? ['page'] : ['page', 'markdown'],
    },
  ],
  furtherFacts: ({ errors }) => {
    const words = errors.map(({ operation, answer, count }) => `${operation} ${answer} ${count}`)
    return words.length === 0 ? [] : [{ name: 'Errors', text: words.join(', '), on: ['terminal'] }]
  },
}
