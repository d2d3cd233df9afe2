/** What is worth knowing beside the answer. */
import { studyPlace, studyPlaceText } from '../../frame/study-place.ts'
import { crewText } from '../../../report/frame/place-text.ts'
import { knownCrew } from '../../../execution/record/crew-place.ts'
import { z } from 'zod'
import {
  formatCount,
  formatMs,
  formatValue,
  plural,
  threeDigits,
  toDigits,
} from '../../../base/numbers.ts'
import { finding } from '../../../result/sentence-tables.ts'
import { cutWords } from '../../../result/sentences/early-ends.ts'
import { keptReason } from '../../../result/document.ts'
import { count, ms } from '../../frame/envelope.ts'
import { timeLapse } from '../../frame/time-lapse.ts'

export const limitsSource = z.object({
  source: z.string().describe('The folder, or the document'),
  place: studyPlace.describe('The crew that has them'),
  pollsPerSecond: z.number().describe('The safe rate of `status`'),
  assumed: z.string().describe('What must hold for it to be safe'),
})

const executions = { executions: count.describe('That the run recorded until then') }
const shareOfPolls = { share: z.number().describe('Of the recorded polls') }

const handshakes = {
  share: z.number().describe('Of the polls: those that open a connection'),
  todayShare: z.number().nullable().describe('The same of what the runs polled by'),
  handshakeMs: ms.nullable(),
  perExecution: z.number(),
}

const SAFE_RATE = 'find the safe rate for --limits with crewload limits'
const LONGER_DEADLINE = 'allow a longer deadline'

/** A scenario holds the times that `--speed` divides. */
const PASTED =
  'All figures here are wall times. Settings and loops have the times of the scenario file, ' +
  'which --speed divides'

export const FINDINGS = {
  interrupted: finding(
    'warning',
    executions,
    (found) => `interrupted after ${plural(found.executions, 'execution')}`,
    'record the rest with crewload resume',
  ),
  'budget-spent': finding(
    'info',
    executions,
    (found) => `the budget ended the run after ${plural(found.executions, 'execution')}`,
  ),
  'limits-assumed': finding(
    'info',
    { quota: z.string().describe('As it would be written'), ...limitsSource.shape },
    ({ quota, source, place, assumed }) =>
      `${quota} is the safe rate of status at ${studyPlaceText(place)} (${source}); it assumes ${assumed}`,
  ),
  'invalid-run': finding(
    'warning',
    {
      run: z.string(),
      cut: z
        .object({ open: count.describe('Executions without an end') })
        .nullable()
        .describe('Null for a run that came to its end'),
      outcome: z.string().nullable().describe('Of its verdict; null without one'),
      reasons: z.array(keptReason).describe('Of its verdict'),
    },
    ({ run, cut, outcome, reasons }) => {
      const own = outcome === 'invalid' ? reasons.map(({ message }) => message).join('; ') : outcome
      return `${run} was INVALID (${cut === null ? own : cutWords(cut)})`
    },
    'record a VALID run: only the ends in this one are sure to hold',
  ),
  'different-crews': finding(
    'warning',
    { crews: z.array(knownCrew).readonly() },
    ({ crews }) => `the runs are of different crews (${crews.map(crewText).join(', ')})`,
    'give runs of one crew',
  ),
  'different-loads': finding(
    'warning',
    {
      leastPerSecond: z.number().describe('Arrivals of the run with the fewest'),
      mostPerSecond: z.number(),
      meanPerSecond: z.number().describe('Of the runs together'),
      quota: z.string().describe('As it is written'),
    },
    ({ leastPerSecond, mostPerSecond, meanPerSecond, quota }) =>
      `the runs have different loads (${threeDigits(leastPerSecond)} to ` +
      `${threeDigits(mostPerSecond)} arrivals/s), and ${quota} is checked at their mean of ` +
      threeDigits(meanPerSecond),
    'give runs of the expected load alone',
  ),
  'polls-failed': finding(
    'warning',
    shareOfPolls,
    ({ share }) =>
      `${pollWords(share)} failed, and as many fail in the replay, by chance rather than in a row`,
  ),
  'polls-refused': finding(
    'warning',
    shareOfPolls,
    ({ share }) => `${pollWords(share)} were refused; the replay refuses none`,
    SAFE_RATE,
  ),
  'quota-used-up': finding(
    'warning',
    shareOfPolls,
    ({ share }) =>
      `${pollWords(share)} found the quota used up; the replay has none, so fast polling looks too good`,
    SAFE_RATE,
  ),
  'waits-obeyed': finding(
    'info',
    { share: z.number().describe('Of the answers that had no error'), medianMs: ms },
    ({ share, medianMs }) =>
      `${formatValue(share, 'share')} of the answers asked for a wait (median ${formatMs(medianMs)}), ` +
      'which today’s polling obeys, and the recommended strategy ignores',
  ),
  'ends-coarse': finding(
    'warning',
    { knownWithinMs: ms },
    ({ knownWithinMs }) =>
      `ends are known to within ${formatMs(knownWithinMs)} only, so shorter delays are estimates`,
    'record with shorter intervals',
  ),
  handshakes: finding('info', handshakes, handshakeWords),
  'retry-after': finding(
    'info',
    {
      medianMs: ms.describe('What the target asked for'),
      pollsPerExecution: z.number(),
      delayMs: ms.describe('The mean until the end is known'),
      better: z.boolean().describe('Than the recommended strategy, in polls and delay'),
    },
    ({ medianMs, pollsPerExecution, delayMs, better }) =>
      `the target asked for ${formatMs(medianMs)} between polls: ` +
      `${threeDigits(pollsPerExecution)} polls, ${formatMs(delayMs)} late, ` +
      (better ? 'better in both' : 'no better in both'),
  ),
  /** More than twice as many polls in executions that take twice as long. */
  'polls-grow': finding(
    'warning',
    { factor: z.number().describe('Polls of executions that take twice as long') },
    ({ factor }) =>
      'executions that take twice as long are polled ' +
      `${formatCount(toDigits(factor, 2))} times as often`,
    'set a minimum polling interval if the target overloads easily',
  ),
  'past-deadline': finding(
    'warning',
    { never: count.describe('Executions that did not end in time'), executions: count },
    ({ never, executions: all }) =>
      `${formatCount(never)} of ${plural(all, 'execution')} ` +
      `(${formatValue(never / all, 'share')}) did not end within their deadline`,
    LONGER_DEADLINE,
  ),
  'ends-missed': finding(
    'warning',
    { share: z.number().describe('Of the executions') },
    ({ share }) =>
      `${formatValue(share, 'share')} of the executions end so shortly before their deadline ` +
      'that no poll sees it',
    LONGER_DEADLINE,
  ),
  'time-lapse': timeLapse(PASTED),
}

function pollWords(share: number): string {
  return `${formatValue(share, 'share')} of the recorded polls`
}

function handshakeWords({
  share,
  todayShare,
  handshakeMs,
  perExecution,
}: z.infer<z.ZodObject<typeof handshakes>>): string {
  const cost = (handshakeMs ?? 0) === 0 ? '' : `, which takes ${formatMs(handshakeMs ?? 0)}`
  const today = todayShare === null ? '' : ` (today ${formatValue(todayShare, 'share')})`
  return (
    `at these intervals ${formatValue(share, 'share')} of the polls${today} open a ` +
    `connection${cost}: ${threeDigits(perExecution)} handshakes per execution`
  )
}
