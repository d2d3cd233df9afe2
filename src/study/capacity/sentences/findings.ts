/** What a search for capacity finds beside its answer. */
import { crewText } from '../../../report/frame/place.ts'
import { knownCrew } from '../../../execution/record/place.ts'
import { z } from 'zod'
import {
  formatCount,
  formatInterval,
  formatMs,
  formatShare,
  plural,
  withDecimals,
} from '../../../base/numbers.ts'
import { finding } from '../../../result/coded.ts'
import { count, ms } from '../../frame/envelope.ts'
import { timeLapse } from '../../frame/time-lapse.ts'
import { CAUSES } from './causes.ts'

export const FINDINGS = {
  ...CAUSES,
  'polls-refused': finding(
    'warning',
    { refused: count, polls: count },
    ({ refused, polls }) =>
      `${plural(refused, 'poll')} of ${polls} were answered with 429, so clients learn late of ` +
      'ends: crewload limits finds the limit',
  ),
  /** What the crew says of failed executions, which is no fact. */
  'quota-texts': finding(
    'warning',
    { executions: count, failed: count, text: z.string().describe('The most frequent') },
    ({ executions, failed, text }) =>
      `${formatCount(executions)} of ${plural(failed, 'failed execution')} mention a quota in ` +
      `their error text: "${text}". This is only a hint: crewload measured no such quota: look ` +
      'at the usage page of your language model',
  ),
  'never-ended': finding(
    'warning',
    { share: z.number().describe('Of the executions that began') },
    ({ share }) =>
      `${formatShare(share)} of the executions that began were not seen to end; if they keep ` +
      'their workers, the crew will run out of workers',
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
      const more = others === 0 ? '' : `; ${plural(others, 'other task')} slow down too`
      return (
        `Task "${task}" takes ${formatShare(fullMs / idleMs - 1)} longer while every worker is ` +
        `busy: ${formatMs(fullMs)} on average, and ${formatMs(idleMs)} while at most half of ` +
        `them are${more}`
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
      'What limits the crew is not known: while every worker is busy, executions take ' +
      `${formatInterval({ low, high }, (times) => withDecimals(times, 2))} times as long as alone: more kickoffs tell`,
  ),
  'cold-start': finding(
    'warning',
    { longestMs: ms.describe('Until the first executions begin') },
    ({ longestMs }) =>
      `A crew that was idle takes up to ${formatMs(longestMs)} to begin its first executions; ` +
      'the capacity holds for a crew that is awake',
  ),
  'different-crews': finding(
    'warning',
    { crews: z.array(knownCrew) },
    ({ crews }) =>
      `The past runs count as runs of one crew, but name several: ${crews.map(crewText).join(', ')}`,
  ),
  'time-lapse': timeLapse(),
}
