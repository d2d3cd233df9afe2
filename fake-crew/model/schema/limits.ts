/** Limits as a profile's author writes them: which requests each counts, by which algorithm, and what a refused one hears. */
import { z } from 'zod'
import { OPERATIONS } from '../../../src/crew/answer.ts'
import { HEADER_DIALECTS, LIMIT_STATUSES, RETRY_AFTER_FORMS } from '../limits/profile.ts'
import type { AlgorithmProfile, LimitProfile } from '../limits/profile.ts'
import type { LimitsProfile } from '../profile.ts'
import { count, duration, oneOf, rate, size } from './quantities.ts'

const NAME_HELP = 'expected a name of letters, digits, "-" and "_"'

const window = duration.refine((micros) => micros > 0, { error: 'expected a duration above 0' })

const limit = count(1).meta({ description: 'Requests in a window.' })

const ALGORITHMS = {
  tokenBucket: z.strictObject({ rate, capacity: count(1) }).meta({
    description: 'Full at first; gains tokens at the rate up to its capacity; a request takes one.',
  }),
  leakyBucket: z
    .strictObject({
      rate,
      burst: count(0).prefault(0).meta({ description: 'Requests that may be ahead of the rate.' }),
      excess: oneOf(['at once', 'delayed'])
        .prefault('at once')
        .meta({ description: 'When those ahead of the rate are served: at once, or in turn.' }),
    })
    .meta({ description: 'Requests leave at the rate (GCRA); one beyond the burst is refused.' }),
  fixedWindow: z
    .strictObject({
      limit,
      window,
      from: oneOf(['calendar', 'first hit'])
        .prefault('calendar')
        .meta({ description: 'Windows since midnight UTC for all, or one for each from its hit.' }),
    })
    .meta({ description: 'So many requests in each window.' }),
  slidingLog: z
    .strictObject({ limit, window })
    .meta({ description: 'So many requests in any window, exactly.' }),
  slidingCounter: z.strictObject({ limit, window }).meta({
    description: 'So many in any window, guessed from the counts of two calendar windows.',
  }),
  concurrency: z
    .strictObject({ limit: count(1).meta({ description: 'Requests at once.' }) })
    .meta({ description: 'So many requests at once; each counts until its answer has left.' }),
}

const ALGORITHM_NAMES = Object.keys(ALGORITHMS) as (keyof typeof ALGORITHMS)[]
const ONE_ALGORITHM = `expected exactly one of ${ALGORITHM_NAMES.join(', ')}`

const refusal = z
  .strictObject({
    status: oneOf(LIMIT_STATUSES).prefault(429),
    retryAfter: oneOf(RETRY_AFTER_FORMS).prefault('seconds').meta({
      description:
        'True as seconds or date, or none; wrong as fractional (not allowed), early (half) or unreadable. Concurrency never has one.',
    }),
  })
  .prefault({})
  .meta({ description: 'What a refused request hears.' })

const rule = z
  .strictObject({
    name: z
      .string({ error: NAME_HELP })
      .regex(/^[\w-]+$/, { error: NAME_HELP })
      .meta({
        description: 'Unique; stands in headers and metrics.',
      }),
    operations: z
      .array(oneOf(OPERATIONS), { error: 'expected a list of operations' })
      .min(1, { error: 'expected at least one operation' })
      .prefault([...OPERATIONS])
      .meta({ description: 'Which requests count. Default: all.' }),
    quota: oneOf(['shared', 'each'])
      .prefault('shared')
      .meta({ description: 'One quota for the operations together, or one for each.' }),
    per: oneOf(['token', 'address', 'all']).prefault('token').meta({
      description: 'Who has a quota: each token, each address, or all together one.',
    }),
    tokenBucket: ALGORITHMS.tokenBucket.exactOptional(),
    leakyBucket: ALGORITHMS.leakyBucket.exactOptional(),
    fixedWindow: ALGORITHMS.fixedWindow.exactOptional(),
    slidingLog: ALGORITHMS.slidingLog.exactOptional(),
    slidingCounter: ALGORITHMS.slidingCounter.exactOptional(),
    concurrency: ALGORITHMS.concurrency.exactOptional(),
    rejected: oneOf(['free', 'counted'])
      .prefault('free')
      .meta({ description: 'Whether refused requests use up the quota, and renew a block.' }),
    block: window.exactOptional().meta({
      description: 'After excess everything is refused for so long. Default: no block.',
    }),
    refusal,
  })
  .superRefine(checkAlgorithm, { when: ({ value }) => typeof value === 'object' && value !== null })

/** Runs on half-checked rules too: every fault is told at once. */
function checkAlgorithm(written: object, context: z.RefinementCtx): void {
  const named = ALGORITHM_NAMES.filter((name) => name in written)
  if (named.length !== 1) context.addIssue({ code: 'custom', message: ONE_ALGORITHM })
}

/** Where two rules share a name, the later one is at fault. */
export function checkNames(rules: readonly unknown[], context: z.RefinementCtx): void {
  const seen = new Set<unknown>()
  for (const [index, entry] of rules.entries()) {
    const { name } = (entry ?? {}) as { name?: unknown }
    if (seen.has(name) && typeof name === 'string') {
      const message = 'expected a name that no other rule has'
      context.addIssue({ code: 'custom', path: [index, 'name'], message })
    }
    seen.add(name)
  }
}

export const limits = z.strictObject({
  body: size.prefault('1MiB').meta({ description: 'Larger kickoffs are answered with 413.' }),
  headers: oneOf(HEADER_DIALECTS).prefault('none').meta({
    description: 'What every answer behind a rule tells of it, in the words of the field.',
  }),
  rules: z
    .array(rule, { error: 'expected a list of rules' })
    .superRefine(checkNames, { when: ({ value }) => Array.isArray(value) })
    .prefault([])
    .meta({ description: 'Rate limits: a request passes all that count it, or none.' }),
})

type WrittenRule = z.output<typeof rule>

export function toLimits({ body, headers, rules }: z.output<typeof limits>): LimitsProfile {
  return { bodyBytes: body, headers, rules: rules.map(toRule) }
}

function toRule(written: WrittenRule): LimitProfile {
  const { name, operations, quota, per, rejected, block = 0, refusal: look } = written
  const algorithm = toAlgorithm(written)
  return { name, operations, quota, per, algorithm, rejected, blockMicros: block, refusal: look }
}

function toAlgorithm(written: WrittenRule): AlgorithmProfile {
  const { tokenBucket, leakyBucket, fixedWindow, slidingLog, slidingCounter } = written
  if (tokenBucket !== undefined) return { kind: 'token-bucket', ...tokenBucket }
  if (leakyBucket !== undefined) return { kind: 'leaky-bucket', ...leakyBucket }
  if (fixedWindow !== undefined) {
    const { limit: most, window: windowMicros, from } = fixedWindow
    return { kind: 'fixed-window', limit: most, windowMicros, from }
  }
  if (slidingLog !== undefined) {
    return { kind: 'sliding-log', limit: slidingLog.limit, windowMicros: slidingLog.window }
  }
  if (slidingCounter !== undefined) {
    const { limit: most, window: windowMicros } = slidingCounter
    return { kind: 'sliding-counter', limit: most, windowMicros }
  }
  return { kind: 'concurrency', limit: written.concurrency!.limit }
}
