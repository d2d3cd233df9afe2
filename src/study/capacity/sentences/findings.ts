/** What a search for capacity finds beside its answer. */
import { crewText } from '../../../report/frame/place-text.ts'
import { knownCrew } from '../../../execution/record/crew-place.ts'
import { z } from 'zod'
import {
  formatCount,
  formatInterval,
  formatMs,
  formatShare,
  plural,
  withDecimals,
} from '../../../base/numbers.ts'
import { listed } from '../../../base/text.ts'
import { finding } from '../../../result/sentence-tables.ts'
import { count, ms } from '../../frame/envelope.ts'
import { timeLapse } from '../../frame/time-lapse.ts'
import { CAUSES } from './causes.ts'

export const FINDINGS = {
  ...CAUSES,
  'polls-refused': finding(
    'warning',
    { refused: count, polls: count },
    ({ refused, polls }) =>
      `${formatCount(refused)} of ${plural(polls, 'poll')} were refused, so clients learn of ends late`,
    'find the limit with crewload limits',
  ),
  /** What the crew says of failed executions, which is no fact. */
  'quota-texts': finding(
    'warning',
    { executions: count, failed: count, text: z.string().describe('The most frequent') },
    ({ executions, failed, text }) =>
      `${formatCount(executions)} of ${plural(failed, 'failed execution')} mention a quota that ` +
      `crewload did not measure: "${text}"`,
    'look at the usage page of your language model',
  ),
  'never-ended': finding(
    'warning',
    { share: z.number().describe('Of the executions that began') },
    ({ share }) =>
      `${formatShare(share)} of the executions that began were not seen to end: they may use up the workers`,
  ),
  'slow-task': finding(
    'warning',
    {
      task: z.string(),
      idleMs: ms.describe('Mean while at most half of the workers are busy'),
      fullMs: ms.describe('Mean while all are'),
      others: count.describe('Further tasks that slow down'),
    },
    ({ task, idleMs, fullMs, others }) => {
      const more = others === 0 ? '' : `. ${plural(others, 'other task')} slow down too`
      return (
        `In a full crew, task "${task}" takes ${formatShare(fullMs / idleMs - 1)} longer: ` +
        `${formatMs(fullMs)} on average, and ${formatMs(idleMs)} in a half-empty one${more}`
      )
    },
  ),
  'limit-unknown': finding(
    'warning',
    {
      low: z.number().describe('How many times as long executions take in a full crew'),
      high: z.number(),
    },
    ({ low, high }) =>
      'What limits the crew is not known: executions take ' +
      `${formatInterval({ low, high }, (times) => withDecimals(times, 2))} times as long in a full crew`,
    'allow more kickoffs',
  ),
  'cold-start': finding(
    'warning',
    { longestMs: ms.describe('Until the first executions begin') },
    ({ longestMs }) =>
      `An idle crew takes up to ${formatMs(longestMs)} to begin; the capacity holds for one that is awake`,
  ),
  'different-crews': finding(
    'warning',
    { crews: z.array(knownCrew) },
    ({ crews }) =>
      `The past runs count as runs of one crew, but name ${listed(crews.map(crewText))}`,
  ),
  'time-lapse': timeLapse(),
}
