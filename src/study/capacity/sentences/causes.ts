/** What a crew does that no queue for workers does: reasons to refuse the model, or findings. */
import { z } from 'zod'
import { formatCount, formatMs, formatShare, plural, threeDigits } from '../../../base/numbers.ts'
import { finding } from '../../../result/sentence-tables.ts'
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
      `${plural(kickoffs, 'kickoff')} with a refusal or 503`,
    'find the limit with crewload limits --max-kickoffs N, lift it, and repeat the search',
  ),
  restarted: finding(
    'warning',
    { lost: count },
    ({ lost }) =>
      `The crew seems to have restarted: ${plural(lost, 'execution was', 'executions were')} in it at one moment, ` +
      'and all of them were lost',
    'find why it restarted, such as a deployment or too little memory; then search again',
  ),
  'workers-vanished': finding(
    'warning',
    { from: count, to: count },
    ({ from, to }) =>
      `Workers went away during the search: while executions waited, ${from} were at work at ` +
      `first, and later only ${to}`,
    'find why they stopped, such as crashes, or another load on the crew',
  ),
  'workers-leave': finding(
    'warning',
    { atWork: z.number().describe('Mean while executions waited'), workers: count },
    ({ atWork, workers }) =>
      `Workers leave between arrivals: while executions waited, ${threeDigits(atWork)} of ` +
      `${workers} were at work on average`,
    'keep idle workers for longer, or set a higher least number of them',
  ),
  drift: finding(
    'warning',
    {
      crew: z.enum(['full', 'idle']).describe('`idle`: at most half of the workers were busy'),
      change: z.number().describe('Of service times, relative'),
    },
    ({ crew, change }) =>
      `The crew drifts: in its ${crew === 'full' ? 'full' : 'half-empty'} state, executions became ` +
      `${formatShare(Math.abs(change))} ${change > 0 ? 'longer' : 'shorter'} in the second half`,
    'find what accumulates in the crew; crewload run soak shows how far the drift goes',
  ),
  cliff: finding(
    'warning',
    cliff,
    (found) =>
      `With ${plural(found.holds, 'execution')} the crew completes ${formatPerHour(found.holdsPerHour)} ` +
      `per hour, with ${found.breaks} only ${formatPerHour(found.breaksPerHour)}: ${fallWords(found)}`,
    'limit the crew to the lower number; see with crewload recovery whether it recovers',
  ),
  'another-load': finding(
    'warning',
    {
      executions: count.nullable().describe('Those of others; null without a ledger'),
      workers: z.number().describe('Kept busy by them, on average'),
    },
    ({ executions, workers }) =>
      executions === null
        ? 'Another load seems to be on the crew: while executions wait, on average ' +
          `${threeDigits(workers)} fewer run than at most`
        : `Another load is on the crew: ${plural(executions, 'execution')} of others kept ` +
          `${threeDigits(workers)} workers busy on average`,
    'repeat the search while no other client uses the crew',
  ),
  'step-in-front': finding(
    'warning',
    { medianMs: ms },
    ({ medianMs }) => `Executions wait ${formatMs(medianMs)} (median) although workers are free`,
    'find the step in front of the workers, such as a connection pool or a gateway',
  ),
  'failures-grow': finding(
    'warning',
    { free: share.describe('Failed while workers were free'), full: share },
    ({ free, full }) =>
      `Failures grow with load: ${formatShare(free)} of executions fail while workers are free, ` +
      `and ${formatShare(full)} while all are busy`,
    'find what fails in a full crew: crewload run shows the messages',
  ),
}

/** Names whichever of the two explains more of the fall: longer service times or more failures. */
function fallWords({ timesAsLong, completedBefore, completedAfter }: CliffFacts): string {
  const rarer = completedBefore / Math.max(1e-9, completedAfter)
  return rarer > timesAsLong
    ? `${formatShare(completedAfter)} succeed, not ${formatShare(completedBefore)}`
    : `they take ${threeDigits(timesAsLong)} times as long`
}
