/** What a run's report says, and what every report owes its readers: run with `-u`. */
import { expect, test } from 'vitest'
import { runReport } from '../../../src/report/run/report.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import { describeReports, reportLines } from '../reports.ts'
import {
  emptyDocument,
  failingDocument,
  hostileDocument,
  invalidDocument,
  rejectedDocument,
  severalDocument,
  steadyDocument,
  tinyDocument,
} from './sample-document.ts'

function withoutExtras(): ResultDocument {
  const document = steadyDocument()
  const samples = document.samples.map(({ why, record }) => {
    return { why, record, ledger: null, trueEndMicros: null }
  })
  return {
    ...document,
    ledger: null,
    samples,
    distributions: {},
    metrics: {},
    breakdown: [],
    thresholds: [],
    polling: { ...document.polling, detectionSource: 'interval', advice: null },
  }
}

/** The first is pinned as a whole, of the others what they say in sentences. */
const REPORTS = Object.fromEntries(
  Object.entries({
    failing: failingDocument,
    steady: steadyDocument,
    tiny: tinyDocument,
    empty: emptyDocument,
    rejected: rejectedDocument,
    invalid: invalidDocument,
    several: severalDocument,
    'without a ledger': withoutExtras,
    hostile: hostileDocument,
  }).map(([name, create]) => [name, () => runReport(create())] as const),
)

test('what the report of a run says', async () => {
  const texts = Object.entries(REPORTS).flatMap(([name, create], at) => {
    return [`==== ${name}`].concat(reportLines(create(), at === 0), '')
  })
  await expect(texts.join('\n')).toMatchFileSnapshot('../../golden/report/run.txt')
})

describeReports(REPORTS, 80, (name) => name === 'hostile')
