/** What a crew does that no queue for workers does: reasons to refuse the model, or findings. */
import { z } from 'zod'
import { formatCount, formatMs, formatShare, plural, threeDigits } from '../../../base/numbers.ts'
import type { FindingRow, ReasonRow } from '../../../result/coded.ts'
import { reason } from '../../../result/coded.ts'
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
  limiter: cause(
    { refused: count, kickoffs: count },
    ({ refused, kickoffs }) =>
      `A limiter in front of the crew, or an outage, answered ${formatCount(refused)} of ` +
      `${plural(kickoffs, 'kickoff')} with 429 or 503`,
    'find the limit with crewload limits --max-kickoffs N, lift it, and repeat the search',
  ),
  restarted: cause(
    { lost: count },
    ({ lost }) =>
      `The crew seems to have restarted: ${plural(lost, 'execution was', 'executions were')} in it at one moment, ` +
      'and all of them were lost',
    'find why it restarted, such as a deployment or too little memory; then search again',
  ),
  'workers-vanished': cause(
    { from: count, to: count },
    ({ from, to }) =>
      `Workers went away during the search: while executions waited, ${from} were at work at ` +
      `first, and later only ${to}`,
    'find why they stopped, such as crashes, or another load on the crew',
  ),
  'workers-leave': cause(
    { atWork: z.number().describe('Mean while executions waited'), workers: count },
    ({ atWork, workers }) =>
      `Workers leave between arrivals: while executions waited, ${threeDigits(atWork)} of ` +
      `${workers} were at work on average`,
    'keep idle workers for longer, or set a higher least number of them',
  ),
  drift: cause(
    {
      crew: z.enum(['full', 'idle']).describe('`idle`: at most half of the workers were busy'),
      change: z.number().describe('Of service times, relative'),
    },
    ({ crew, change }) =>
      `The crew drifts: executions of ${crew === 'full' ? 'the full crew' : 'a half-empty crew'} ` +
      `became ${formatShare(Math.abs(change))} ${change > 0 ? 'longer' : 'shorter'} from the ` +
      'first half of the search to the second',
    'find what accumulates in the crew; crewload run soak shows how far the drift goes',
  ),
  cliff: cause(
    cliff,
    (found) =>
      `A cliff: with ${plural(found.holds, 'execution')} in the crew it completes ` +
      `${formatPerHour(found.holdsPerHour)} per hour, and with ${found.breaks} only ` +
      `${formatPerHour(found.breaksPerHour)}, because ${fallWords(found)}`,
    'limit the crew to the lower number; crewload recovery shows whether it recovers',
  ),
  'another-load': cause(
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
    'repeat the search while no other client uses the crew',
  ),
  'step-in-front': cause(
    { medianMs: ms },
    ({ medianMs }) => `Executions wait ${formatMs(medianMs)} (median) although workers are free`,
    'find the step in front of the workers, such as a connection pool or a gateway',
  ),
  'failures-grow': cause(
    { free: share.describe('Failed while workers were free'), full: share },
    ({ free, full }) =>
      `Failures grow with load: ${formatShare(free)} of executions fail while workers are free, ` +
      `and ${formatShare(full)} while all are busy`,
    'find what fails in a full crew: crewload run shows the messages',
  ),
}

function cause<const S extends z.ZodRawShape>(
  facts: S,
  says: FindingRow<S>['says'],
  remedy: string,
): FindingRow<S> & ReasonRow<S> {
  return { severity: 'warning', ...reason(facts, says, remedy) }
}

/** Names whichever of the two explains more of the fall: longer service times or more failures. */
function fallWords({ timesAsLong, completedBefore, completedAfter }: CliffFacts): string {
  const rarer = completedBefore / Math.max(1e-9, completedAfter)
  return rarer > timesAsLong
    ? `${formatShare(completedAfter)} of them succeed instead of ${formatShare(completedBefore)}`
    : `they take ${threeDigits(timesAsLong)} times as long`
}
