/** Why there is no answer, or no better one. */
import { z } from 'zod'
import { formatCount, formatValue, plural } from '../../../base/numbers.ts'
import { reason } from '../../../result/sentence-tables.ts'
import { count } from '../../frame/envelope.ts'

/** As options are written. */
export const nearest = z.object({
  maxPolls: z.string().nullable().describe('The least quota with the promise as it is'),
  delay: z.string().nullable().describe('The shortest promise with the quota as it is'),
  both: z
    .object({ maxPolls: z.string(), delay: z.string() })
    .nullable()
    .describe('Both raised by the same factor, where each then rises by less than alone'),
})

const bounds = z
  .array(z.string())
  .describe('The quota and the promise, as they are written; empty for neither')

const NOT_YET = 'cannot tell yet, because'

export const REASONS = {
  'too-few': reason(
    {
      open: z
        .enum(['ends', 'bound', 'best'])
        .describe(
          '`ends`: how long executions take. `bound`: whether the best strategy keeps what must ' +
            'hold. `best`: which of two it is',
        ),
      ended: count,
      needed: count.describe('Executions that ended, at the least'),
      bounds,
      moreExecutions: count,
    },
    ({ open, ended, needed, bounds: asked }) => {
      switch (open) {
        case 'ends':
          return `${NOT_YET} only ${plural(ended, 'execution')} ended, of at least ${needed} that are needed`
        case 'bound': {
          const crossed = asked.join(' and ') || 'the share of ends that polls must see'
          return `${NOT_YET} the band of the best strategy crosses ${crossed}`
        }
        default:
          return `${NOT_YET} the bands of the two best strategies overlap`
      }
    },
    ({ moreExecutions }) => `record about ${formatCount(moreExecutions)} more executions`,
  ),
  unwatched: reason(
    { share: z.number().describe('Of the executions') },
    ({ share }) =>
      `${NOT_YET} ${formatValue(share, 'share')} of the executions took longer than any whose ` +
      'end was seen',
    'learn from a run that follows its executions to their end',
  ),
  interrupted: reason(
    {},
    () => `${NOT_YET} the study was interrupted before its end`,
    'continue it with crewload resume',
  ),
  'no-rate': reason(
    {},
    () => 'the rate of arrivals is not known, so polls cannot be compared with a quota',
    'learn from a run of the expected load',
  ),
  impossible: reason(
    {
      bounds,
      nearest,
      seen: z.boolean().describe('Whether any polling sees the ends, if nothing else must hold'),
    },
    ({ bounds: asked }) => {
      const what = asked.length > 0 ? 'stays within' : 'sees the end of'
      return `no strategy ${what} ${boundWords(asked)}`
    },
    ({ nearest: goals, seen }) => nearer(goals, seen),
  ),
}

/** What must hold; without bounds, polls must see most ends. */
export function boundWords(asked: readonly string[]): string {
  return asked.join(' and ') || MOST_EXECUTIONS
}

/** The deadline leaves the ends of so many to be seen. */
const MOST_EXECUTIONS = '95 % of the executions before their deadline'

function nearer({ maxPolls, delay, both }: z.infer<typeof nearest>, isSeen: boolean): string {
  const options = [
    maxPolls === null ? [] : `--max-polls ${maxPolls}`,
    delay === null ? [] : `--delay '${delay}'`,
    both === null ? [] : `both: --max-polls ${both.maxPolls} --delay '${both.delay}'`,
  ].flat()
  if (options.length > 0) return `the nearest that is possible: ${options.join(', or ')}`
  return isSeen
    ? 'record more executions: with these, no goal near it is certain to be kept'
    : `allow a longer deadline, so that polls see the end of ${MOST_EXECUTIONS}`
}
