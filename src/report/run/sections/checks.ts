/** The scenario's own checks of outputs; absent when it has none. */
import type { ResultDocument } from '../../../result/document.ts'
import { formatCount, plainText, plural } from '../../frame/format.ts'
import type { Block } from '../../frame/report.ts'
import type { Table } from '../../frame/table.ts'
import type { RunSection } from './section.ts'

type CheckCounts = ResultDocument['checks'][number]

export const CHECKS: RunSection = {
  chapter: 'What went wrong',
  title: 'Checks of the scenario',
  blocks: ({ checks }) => [checkTable(checks), checkList(checks)],
  furtherFacts: ({ checks }) =>
    notPassed(checks).map((check) => ({
      name: 'Check',
      text: checkSentence(check),
      on: ['terminal'],
    })),
}

function checkList(checks: readonly CheckCounts[]): Block {
  const items = notPassed(checks).map((check) => {
    const seen = check.example === null ? '' : `; for example ${plainText(check.example)}`
    return `${checkSentence(check)}${seen}`
  })
  return { kind: 'list', items, on: ['markdown'] }
}

function notPassed(checks: readonly CheckCounts[]): CheckCounts[] {
  return checks.filter(({ failed, threw }) => failed + threw > 0)
}

/**
 * `"mentions" failed for 3 of 40 executions; threw for 2 of 40 executions, which is the scenario's
 * own error`.
 */
function checkSentence({ name, passed, failed, threw }: CheckCounts): string {
  const all = plural(passed + failed + threw, 'execution')
  const parts = [
    ...(failed > 0 ? [`failed for ${formatCount(failed)} of ${all}`] : []),
    ...(threw > 0
      ? [`threw for ${formatCount(threw)} of ${all}, which is an error in the scenario`]
      : []),
  ]
  return `"${plainText(name)}" ${parts.join('; ')}`
}

function checkTable(checks: readonly CheckCounts[]): Table {
  const examples = checks.some(({ example }) => example !== null)
  return {
    kind: 'table',
    columns: [
      { title: 'check' },
      { title: 'passed', kind: 'number' },
      { title: 'failed', kind: 'number' },
      { title: 'threw', kind: 'number' },
      ...(examples ? [{ title: 'example', kind: 'code' as const }] : []),
    ],
    rows: checks.map(({ name, passed, failed, threw, example }) => [
      plainText(name),
      formatCount(passed),
      formatCount(failed),
      formatCount(threw),
      ...(examples ? [example === null ? '' : plainText(example)] : []),
    ]),
    empty: null,
    on: ['page'],
  }
}
