/** Thresholds of a run that goes on: what they say may change, but for a certain miss. */
import { expect, test } from 'vitest'
import { liveThresholds } from '../../../src/report/run/live.ts'
import type { ThresholdResult } from '../../../src/result/document.ts'
import { steadyDocument } from './sample-document.ts'

test('a threshold of a run under way is judged so far, or not yet', () => {
  const document = steadyDocument()
  const [first] = document.thresholds
  const thresholds = (['met', 'missed', 'undecided', 'unmeasurable', 'missed'] as const).map(
    (status): ThresholdResult => Object.assign({}, first, { status }),
  )
  const lost = new Set(thresholds.slice(-1))
  const [block] = liveThresholds({ document, thresholds, lost })
  const rows = block?.kind === 'thresholds' ? block.rows : []
  expect(rows.map(({ word }) => word)).toEqual([
    'met so far',
    'missed so far',
    'undecided',
    'nothing yet',
    'will miss',
  ])
  expect(rows[3]!.next).toBeNull()
})
