/** What a comparison says beside what is said of all compared runs. */
import { z } from 'zod'
import { formatInterval, formatShare, toDecimals, withDecimals } from '../../../base/numbers.ts'
import { finding } from '../../../result/sentence-tables.ts'
import { RUN_FINDINGS, SIDE } from '../sentences.ts'

const ratio = z.number()

export const FINDINGS = {
  ...RUN_FINDINGS,
  'sides-apart': finding(
    'warning',
    { first: SIDE },
    () => 'one side was run after the other, so drift of a machine or a crew looks like a change',
    'run both alternately (base, new, new, base), as crewload gate --baseline-target does',
  ),
  'longer-at-load': finding(
    'warning',
    {
      load: ratio.describe('The higher load divided by the lower one'),
      longer: ratio.describe('The median time at work there, divided by that at the lower load'),
      low: ratio,
      high: ratio,
      ledgers: z.enum(['all', 'some', 'none']).describe('Which runs have a ledger'),
    },
    ({ load, longer, low, high, ledgers }) =>
      `${SOURCES[ledgers]}, executions are ${percentOver(longer)} longer at work ` +
      `(median, ${formatInterval({ low, high }, percentOver)}) at ${withDecimals(load, 1)} times the load`,
    'find how far what they share limits the crew, such as a quota, with crewload capacity',
  ),
}

const SOURCES = {
  all: 'by the ledger',
  some: 'by ledgers and reports',
  none: 'as the crew reports',
}

function percentOver(times: number): string {
  return formatShare(toDecimals(times - 1, 3))
}
