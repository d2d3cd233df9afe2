/** Whom the crew asked, and what became of it; absent if nobody was seen to be asked. */
import type { PeopleResult, ResultDocument } from '../../../../result/document.ts'
import { formatCount, formatShare, plural } from '../../../../base/numbers.ts'
import { formatMetric } from '../../../../result/metrics/sentences.ts'
import type { Block } from '../../../frame/report.ts'
import { columnsOf } from '../../../text/table.ts'
import type { RunSection } from '../section.ts'
import { findMetric } from '../waits/rows.ts'

export const PEOPLE: RunSection = {
  chapter: 'People who are asked',
  title: null,
  blocks: (document) => {
    const { people } = document
    if (people === undefined) return []
    return [{ kind: 'prose', text: sentence(document, people), on: ['page'] }, table(people)]
  },
  furtherFacts: (document) => {
    const { people } = document
    return people === undefined ? [] : [{ name: 'People', text: fact(document, people) }]
  },
}

/** `asked 24 times in 12 executions, waited for 30.0 s in the median` */
function fact(document: ResultDocument, { questions, executions, waiting }: PeopleResult): string {
  const asked = `asked ${formatCount(questions)} times in ${plural(executions, 'execution')}`
  const median = findMetric(document, 'people.waited', 'p50')
  const waited =
    median === null || median.value === null
      ? []
      : [`waited for ${formatMetric(median)} in the median`]
  const open = waiting === 0 ? [] : [`${formatCount(waiting)} still waiting at the end`]
  return [asked, ...waited, ...open].join(', ')
}

function sentence(document: ResultDocument, people: PeopleResult): string {
  const share = formatShare(people.executions / Math.max(1, document.arrivals))
  return (
    `Polls saw ${formatCount(people.executions)} of ${plural(document.arrivals, 'execution')} ` +
    `(${share}) ask a person. The time of executions includes these waits: they are the load's ` +
    'own doing where the scenario answers. A wait lasts from the poll that saw the question ' +
    'to the accepted answer, or until a poll misses it.'
  )
}

const ROWS: readonly [keyof NonNullable<PeopleResult['ledger']>, string][] = [
  ['questions', 'questions'],
  ['yes', 'answered yes by the run'],
  ['no', 'answered no by the run'],
  ['gone', 'gone without an answer of the run'],
  ['waiting', 'still waiting at the end'],
]

function table(people: PeopleResult): Block {
  const { ledger, refused } = people
  const counts = ROWS.map(([key, name]) => {
    const byPolls = [name, formatCount(people[key])]
    return ledger === null ? byPolls : byPolls.concat(formatCount(ledger[key]))
  })
  const others = Object.entries(refused).map(([code, count]) => {
    const byPolls = [`answers that the crew refused: ${code}`, formatCount(count)]
    return ledger === null ? byPolls : byPolls.concat('')
  })
  const ledgerColumn = ledger === null ? [] : ['by the ledger']
  return {
    kind: 'table',
    columns: columnsOf(['people'], ['by polls', ...ledgerColumn]),
    rows: [...counts, ...others],
    empty: null,
    on: ['page', 'markdown'],
  }
}
