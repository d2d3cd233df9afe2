/** Requests that failed, by operation and class. */
import type { ResultDocument } from '../../../result/document.ts'
import { formatCount, formatMs, plainText } from '../../frame/format.ts'
import type { Block } from '../../frame/report.ts'
import type { Table } from '../../frame/table.ts'
import type { RunSection } from './section.ts'

export const ERRORS: RunSection = {
  chapter: 'What went wrong',
  title: 'Errors by operation',
  blocks: (document) => [errorTable(document), errorList(document)],
  furtherFacts: ({ errors }) => {
    const words = errors.map(
      ({ operation, class: name, count }) => `${operation} ${plainText(name)} ${count}`,
    )
    return words.length === 0 ? [] : [{ name: 'Errors', text: words.join(', '), on: ['terminal'] }]
  },
}

function errorList({ errors }: ResultDocument): Block {
  return {
    kind: 'list',
    items: errors.map(
      ({ operation, class: name, count }) => `${operation} ${plainText(name)}: ${count}`,
    ),
    on: ['markdown'],
  }
}

function errorTable({ errors }: ResultDocument): Table {
  return {
    kind: 'table',
    columns: [
      { title: 'operation' },
      { title: 'class' },
      { title: 'count', kind: 'number' },
      { title: 'first at', kind: 'number' },
    ],
    rows: errors.map(({ operation, class: name, count, firstMs }) => [
      operation,
      plainText(name),
      formatCount(count),
      formatMs(firstMs),
    ]),
    empty: 'No request failed.',
    on: ['page'],
  }
}
