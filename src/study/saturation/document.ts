/**
 * The document of one saturation, `saturation.json`: it contains every number of its reports once.
 * Times are in milliseconds.
 */
import { z } from 'zod'
import { quantity } from '../../result/document.ts'
import { PLACE, STUDY_ENDS, WAYS, envelope, verdictOf, count, ms } from '../frame/envelope.ts'
import { FINDINGS, REASONS, doubt } from './sentences.ts'

export const ENDPOINTS = {
  inputs: 'GET /inputs',
  status: 'GET /status/{id}',
  kickoff: 'POST /kickoff',
} as const

const plan = z.object({
  endpoint: z.enum(['inputs', 'status', 'kickoff']),
  ...PLACE,
  ...WAYS,
  ladder: z.array(count).describe('Connections of each rung, as planned'),
  repeats: count.describe('Visits of each rung, as planned'),
  rungMs: ms.describe('The measured window of one visit'),
  warmUpMs: ms,
  timeoutMs: ms,
  pollingMs: z
    .array(ms)
    .describe(
      'For the endpoint status: the polling intervals for which executions in flight are given',
    ),
  budget: z.object({ requests: count.nullable(), kickoffs: count.nullable() }),
})

const ENDS = [...STUDY_ENDS, 'errors'] as const

/** What one visit measures, and what the visits of one rung give together. */
const measured = {
  connections: count,
  windowMs: ms.describe('From the end of the warm-up on; 0 when the visit ended before'),
  throughput: quantity.describe(
    'Usable answers (2xx) per second. For a rung: the mean of its visits, and where another visit ' +
      'would be (95 % prediction interval). For one visit: the interval is from batch means ' +
      'within it',
  ),
  latency: z
    .object({
      p50: quantity,
      p95: quantity,
      p99: quantity,
      maxMs: ms.nullable(),
      meanMs: ms.nullable(),
    })
    .describe(
      'Service time of usable answers, closed loop: request written to last byte received. For a ' +
        'rung: the mean of its visits, and where another visit would be; `maxMs` of all',
    ),
  requests: count.describe('Requests that ended within the window, with any result'),
  errors: quantity.describe('Share of the requests that got no usable answer'),
  errorClasses: z
    .array(z.object({ class: z.string(), count }))
    .describe('By status code or failure class, most frequent first'),
  little: z
    .object({ connections: z.number(), residual: z.number() })
    .describe(
      'Connections by Little’s law (the sum of request times / the window), and how far that is ' +
        'from the actual number',
    ),
  utilisation: z
    .number()
    .nullable()
    .describe('Share of the window in which this process was busy; null without a window'),
  reconnects: count.describe('How often a connection had to be opened again'),
  sent: count.describe('Handed to sockets, warm-up included'),
  doubts: z.array(doubt),
}

export const visitSchema = z.object({
  pass: count.describe('Counts from 1; the first pass rises, the others are shuffled'),
  ...measured,
  stolen: z
    .number()
    .nullable()
    .describe(
      'Share of the wanted CPU time that the hypervisor gave to others (`steal` in ' +
        '/proc/stat); null if unknown',
    ),
  endedBy: z.enum(['time', 'budget', 'stopped']),
})

const rung = z
  .object({
    ...measured,
    visits: count,
    counted: count.describe('Visits that count: means and intervals are over these'),
  })
  .describe(
    'A rung counts if at least half of its visits do. Otherwise its means and its doubts are ' +
      'over all of them. Requests, errors and reconnects are always over all',
  )

const feed = z.union([
  z.object({ kind: z.literal('polling'), intervalMs: ms, inFlight: z.number() }),
  z.object({ kind: z.literal('kickoffs'), perHour: z.number() }),
])

const ceiling = z.object({
  throughput: quantity.describe(
    'Usable answers per second: the mean over the plateau, and where another pass would ' +
      'be (95 % prediction interval)',
  ),
  connections: count.describe('The most connections at which it was still reached'),
})

const knee = z.object({
  from: count.describe(
    'The fewest connections that may reach 95 % of the highest throughput: no other rung is ' +
      'surely further above it',
  ),
  to: count
    .nullable()
    .describe(
      'The fewest connections that surely reach 95 % of every other rung. Null if none does, or ' +
        'only the last rung of a ladder that may still be rising',
    ),
  ideal: z
    .number()
    .nullable()
    .describe(
      'N* = ceiling x R(1): the fewest connections that could reach the ceiling if ' +
        'none ever waited for another. See asymptotic bounds in Denning and Buzen, "The ' +
        'Operational Analysis of Queueing Network Models", ACM Computing Surveys ' +
        '10(3), 1978. Null without a rung of one connection',
    ),
})

export const saturationSchema = z.object({
  ...envelope('saturation', 1, FINDINGS),
  verdict: verdictOf(['measured', 'inconclusive'], REASONS).extend({
    atLeast: z
      .boolean()
      .describe('The ceiling is a lower bound: something other than the target was the limit'),
  }),
  plan,
  ended: z
    .enum(ENDS)
    .describe(
      '`budget`: the rest would not have lasted a second for the next rung. ' +
        '`errors`: more than half of the requests of a rung failed. `target`: the fake ' +
        'crew of the study ended unexpectedly',
    ),
  ceiling: ceiling
    .nullable()
    .describe('Of the plateau, not of its best rung; null when no rung counts'),
  knee: knee
    .nullable()
    .describe(
      'The fewest connections that reach 95 % of the highest throughput, as a range. Rungs are ' +
        'compared by the ratio of their throughputs within each pass, with a t-interval over ' +
        'the passes. Each end holds with 95 % confidence. Null if the ladder did not find it',
    ),
  feeds: z
    .array(feed)
    .describe(
      'For status, executions in flight at a polling interval; for kickoff, starts per hour',
    ),
  rungs: z.array(rung).describe('In increasing order of connections'),
  trials: z.array(visitSchema).describe('The visits, in the order in which they were made'),
})

export type SaturationDocument = z.infer<typeof saturationSchema>
/** What will be done, shown before anything is sent. */
export type SaturationPlan = z.infer<typeof plan>
export type SaturationVerdict = SaturationDocument['verdict']
export type SaturationReason = SaturationVerdict['reasons'][number]
export type SaturationFeed = z.infer<typeof feed>
export type SaturationVisit = z.infer<typeof visitSchema>
export type SaturationRung = z.infer<typeof rung>
export type VisitDoubt = SaturationVisit['doubts'][number]
export type Ceiling = z.infer<typeof ceiling>
export type Knee = z.infer<typeof knee>
export type LadderEnd = SaturationDocument['ended']
