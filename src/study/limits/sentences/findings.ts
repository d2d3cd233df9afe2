/** What a study of limits finds beside its answer: broken promises, other clients, open ends. */
import { z } from 'zod'
import { unreachable } from '../../../base/assert.ts'
import { formatCount, formatMs, plural } from '../../../base/numbers.ts'
import { listed } from '../../../base/text.ts'
import { finding } from '../../../result/sentence-tables.ts'
import { cutWords } from '../../../result/sentences/early-ends.ts'
import { count, ms } from '../../frame/envelope.ts'
import { timeLapse } from '../../frame/time-lapse.ts'
import { operationName } from './reasons.ts'

export const openParameter = z.enum(['ratePerSecond', 'capacity', 'limit', 'windowMs', 'blockMs'])

export const lie = z.object({
  code: z
    .enum(['left', 'limit', 'window', 'wait-short', 'wait-long'])
    .describe(
      '`left`: a request was refused although some were left. The others: the limit, the window, ' +
        'or `Retry-After` is not what requests met',
    ),
  promised: z.number().nullable(),
  found: z.number().nullable(),
})

const asked = { operation: operationName }

const OPEN_NAMES: Record<z.infer<typeof openParameter>, string> = {
  ratePerSecond: 'the rate',
  capacity: 'the capacity',
  limit: 'the limit',
  windowMs: 'the window',
  blockMs: 'the block',
}

export const FINDINGS = {
  'header-lies': finding(
    'problem',
    { ...asked, lie },
    ({ operation, lie: found }) => `${operation}: ${lieWords(found)}`,
  ),
  /** What would settle it: each further look costs as much as it takes to use the limit up. */
  'known-as-interval': finding(
    'info',
    {
      ...asked,
      parameters: z.array(openParameter),
      requests: count.describe('That each further look takes at most'),
      blockMs: ms.nullable().describe('In which a further look ends; null for none'),
    },
    ({ operation, parameters, requests, blockMs }) => {
      const names = parameters.map((each) => OPEN_NAMES[each]).join(' and ')
      const ends = blockMs === null ? '' : ` and a block of ${formatMs(blockMs)}`
      return (
        `${operation}: only an interval is known of ${names}. Each further look takes up to ` +
        `${plural(requests, 'request')}${ends}`
      )
    },
  ),
  /** What headers alone promise is not known of requests that were not sent. */
  'promise-unchecked': finding(
    'warning',
    { ...asked, promised: count, accepted: count },
    ({ operation, promised, accepted }) =>
      `${operation}: headers promise ${plural(promised, 'request')}; only ` +
      `${formatCount(accepted)} were sent, so the promise is not checked beyond them`,
  ),
  'used-by-others': finding(
    'warning',
    { ...asked, requests: count.describe('That headers count, and others have sent') },
    ({ operation, requests }) =>
      `${operation}: somebody else uses this limit: headers count ${plural(requests, 'request')} ` +
      'that this study did not send',
  ),
  'no-retry-after': finding(
    'warning',
    { ...asked, status: count },
    ({ operation, status }) =>
      `${operation}: a refusal (${status}) has no Retry-After, so a client cannot know when to ` +
      'return',
  ),
  'retry-after-malformed': finding(
    'warning',
    { ...asked, text: z.string().describe('Of the field, shortened') },
    ({ operation, text }) =>
      `${operation}: Retry-After is ${JSON.stringify(text)}, neither whole seconds nor a date (RFC 9110), ` +
      'so strict clients come back at once',
  ),
  'shared-limit': finding(
    'warning',
    {
      operations: z.array(operationName),
      windowMs: ms.nullable().describe('Null where none is known'),
    },
    ({ operations, windowMs }) => {
      const within = windowMs === null ? '' : ` within ${formatMs(windowMs)}`
      return `${listed(operations)} share one limit: requests of all of them count together${within}`
    },
  ),
  'run-cut': finding(
    'warning',
    { run: z.string(), open: count.describe('Executions without an end') },
    ({ run, open }) => `${run} is used, though ${cutWords({ open })}`,
  ),
  'requests-left-out': finding(
    'warning',
    {
      ...asked,
      requests: count,
      unfinished: count.describe('Executions without an end in the journals'),
    },
    ({ operation, requests, unfinished }) => {
      const why =
        unfinished === 0
          ? 'the run was cut and resumed'
          : `the journal ends before ${plural(unfinished, 'execution')}`
      return `${operation}: ${plural(requests, 'recorded request')} left out, because ${why}`
    },
  ),
  'time-lapse': timeLapse(),
  /** Recorded runs sent only what their scenario asked for. */
  'recorded-only': finding(
    'info',
    {},
    () =>
      'Journals keep no header but Retry-After: they hide who else uses a limit, and whether it ' +
      'is per token',
  ),
}

/** What of the headers is not true. */
export function lieWords({ code, promised, found }: z.infer<typeof lie>): string {
  switch (code) {
    case 'left':
      return `the headers count ${plural(promised ?? 0, 'request')} as left, but one was refused`
    case 'limit':
      return `the headers promise ${plural(promised ?? 0, 'request')}, but ${admitted(found ?? 0)}`
    case 'window': {
      const [asPromised, is] = [promised ?? 0, found ?? 0].map((ms) => formatMs(ms))
      return `the headers promise a window of ${asPromised}, but it is ${is}`
    }
    case 'wait-short':
      return 'refusals ask for too short a wait: a client that waits so long is refused again'
    case 'wait-long':
      return 'refusals ask for too long a wait: requests would get through earlier'
    default:
      return unreachable(code)
  }
}

function admitted(requests: number): string {
  return `${plural(requests, 'gets', 'get')} through`
}
