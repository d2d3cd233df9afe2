/** What a crew does that no queue for workers does: reasons to refuse the model, or findings. */
import { z } from 'zod'
import { formatCount, formatMs, formatShare, plural, threeDigits } from '../../../base/numbers.ts'
import { finding } from '../../../result/coded.ts'
import { count, ms } from '../../frame/envelope.ts'
import { formatPerHour } from '../analyse/model/system.ts'

const share = z.number()

const cliff = {
  holds: count.describe('The most executions in the crew with a high throughput'),
  holdsPerHour: z.number().describe('Executions completed'),
  breaks: count.describe('The fewest with a low one'),
  breaksPerHour: z.number(),
  timesAsLong: z.number().describe('How many times as long executions take then'),
  completedBefore: share.describe('Of the executions'),
  completedAfter: share,
}

type CliffFacts = z.infer<z.ZodObject<typeof cliff>>

export const CAUSES = {
  limiter: finding(
    'warning',
    { refused: count, kickoffs: count },
    ({ refused, kickoffs }) =>
      `A limiter in front of the crew, or an outage, answered ${formatCount(refused)} of ` +
      `${plural(kickoffs, 'kickoff')} with 429 or 503`,
  ),
  restarted: finding(
    'warning',
    { lost: count },
    ({ lost }) =>
      `The crew seems to have restarted: ${plural(lost, 'execution')} were in it at one moment, ` +
      'and all of them were lost',
  ),
  'workers-vanished': finding(
    'warning',
    { from: count, to: count },
    ({ from, to }) =>
      `Workers went away during the search: while executions waited, ${from} were at work at ` +
      `first, and later only ${to}`,
  ),
  'workers-leave': finding(
    'warning',
    { atWork: z.number().describe('Mean while executions waited'), workers: count },
    ({ atWork, workers }) =>
      `Workers leave between arrivals: while executions waited, ${threeDigits(atWork)} of ` +
      `${workers} were at work on average`,
  ),
  drift: finding(
    'warning',
    {
      crew: z.enum(['full', 'idle']).describe('`idle`: at most half of the workers were busy'),
      change: z.number().describe('Of service times, relative'),
    },
    ({ crew, change }) =>
      `The crew drifts: executions of ${crew === 'full' ? 'the full crew' : 'a half-empty crew'} ` +
      `became ${formatShare(Math.abs(change))} ${change > 0 ? 'longer' : 'shorter'} from the ` +
      'first half of the search to the second',
  ),
  cliff: finding(
    'warning',
    cliff,
    (found) =>
      `A cliff: with ${plural(found.holds, 'execution')} in the crew it completes ` +
      `${formatPerHour(found.holdsPerHour)} per hour, and with ${found.breaks} only ` +
      `${formatPerHour(found.breaksPerHour)}, because ${fallWords(found)}`,
  ),
  'another-load': finding(
    'warning',
    {
      executions: count.nullable().describe('Those of others; null without a ledger'),
      workers: z.number().describe('Kept busy by them, on average'),
    },
    ({ executions, workers }) =>
      executions === null
        ? 'Another load seems to be on the crew: while executions wait, the number that run ' +
          `varies, and is on average ${threeDigits(workers)} below its maximum`
        : `Another load is on the crew: its ledger has ${plural(executions, 'execution')} that ` +
          `this search did not send, which kept ${threeDigits(workers)} workers busy on average`,
  ),
  'step-in-front': finding(
    'warning',
    { medianMs: ms },
    ({ medianMs }) => `Executions wait ${formatMs(medianMs)} (median) although workers are free`,
  ),
  'failures-grow': finding(
    'warning',
    { free: share.describe('Failed while workers were free'), full: share },
    ({ free, full }) =>
      `Failures grow with load: ${formatShare(free)} of executions fail while workers are free, ` +
      `and ${formatShare(full)} while all are busy`,
  ),
}

/** Names whichever of the two explains more of the fall: longer service times or more failures. */
function fallWords({ timesAsLong, completedBefore, completedAfter }: CliffFacts): string {
  const rarer = completedBefore / Math.max(1e-9, completedAfter)
  return rarer > timesAsLong
    ? `${formatShare(completedAfter)} of them succeed instead of ${formatShare(completedBefore)}`
    : `they take ${threeDigits(timesAsLong)} times as long`
}
