/** The scenario's own checks of outputs; absent when it has none. */
import type { ResultDocument } from '../../../result/document.ts'
import { formatCount, plural } from '../../../base/numbers.ts'
import { plainText } from '../../text/format.ts'
import { columnsOf } from '../../text/table.ts'
import type { RunSection } from './section.ts'

type CheckCounts = ResultDocument['checks'][number]

export const CHECKS: RunSection = {
  chapter: 'What went wrong',
  title: 'Checks of the scenario',
  blocks: ({ checks }) => {
    const examples = checks.some(({ example }) => example !== null)
    return [
      {
        kind: 'table',
        columns: [
          ...columnsOf(['check'], ['passed', 'failed', 'threw']),
          ...(examples ? [{ title: 'example', kind: 'code' as const }] : []),
        ],
        rows: checks.map(({ name, passed, failed, threw, example }) => [
          plainText(name),
          formatCount(passed),
          formatCount(failed),
          formatCount(threw),
          ...(examples ? [plainText(example ?? '')] : []),
        ]),
        empty: null,
        on: checks.some(isBroken) ? ['page', 'markdown'] : ['page'],
      },
    ]
  },
  furtherFacts: ({ checks }) =>
    checks
      .filter(isBroken)
      .map((check) => ({ name: 'Check', text: checkSentence(check), on: ['terminal'] })),
}

function isBroken({ failed, threw }: CheckCounts): boolean {
  return failed + threw > 0
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
