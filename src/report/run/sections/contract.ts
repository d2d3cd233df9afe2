/** Answers that break the interface contract, by rule, each with an example. */
import type { ResultDocument } from '../../../result/document.ts'
import { formatCount, plural } from '../../../base/numbers.ts'
import { exampleName, plainText } from '../../text/format.ts'
import type { Block, Fact } from '../../frame/report.ts'
import { columnsOf, pageTable } from '../../text/table.ts'
import { sentencesOf } from './section.ts'
import type { RunSection } from './section.ts'

export const CONTRACT: RunSection = {
  chapter: 'What went wrong',
  title: 'The interface contract',
  blocks: (document) =>
    document.contract.rules.length === 0
      ? sentencesOf(contractFacts(document))
      : [ruleTable(document.contract)],
  facts: contractFacts,
}

function contractFacts(document: ResultDocument): Fact[] {
  return [{ name: 'Contract', text: contractSentence(document) }]
}

function ruleTable({ rules }: ResultDocument['contract']): Block {
  return pageTable(
    [
      ...columnsOf(['rule'], ['count'], ['basis', 'first seen in']),
      { title: 'what was seen', kind: 'code' },
    ],
    rules.map(({ rule, basis, source, count, example }) => [
      plainText(rule),
      formatCount(count),
      `${basis}: ${plainText(source)}`,
      exampleName(example),
      plainText(example.seen),
    ]),
  )
}

/**
 * Sums up violations:
 * `2 violations of progress-never-decreases, first in 7be1..: 2 of 3 then 1 of 3`.
 */
function contractSentence(document: ResultDocument): string {
  const { answersChecked, rules: broken } = document.contract
  if (answersChecked === 0) return 'no answers to check'
  if (broken.length === 0) return `no violation in ${plural(answersChecked, 'answer')}`
  const violations = broken.reduce((sum, { count }) => sum + count, 0)
  const first = broken[0]
  const seen =
    first === undefined
      ? ''
      : `, first in ${exampleName(first.example)}: ${plainText(first.example.seen, 80)}`
  const names = broken.slice(0, 2).map(({ rule }) => plainText(rule))
  const more = broken.length > 2 ? ` and ${plural(broken.length - 2, 'other rule')}` : ''
  return `${plural(violations, 'violation')} of ${names.join(', ')}${more}${seen}`
}
