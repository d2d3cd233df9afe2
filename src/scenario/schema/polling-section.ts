/** What the options of every polling strategy have in common. */
import { z } from 'zod'
import { oneOf } from './quantities.ts'
import { section } from './shapes.ts'
import type { PollingHint } from '../polling/index.ts'

const hint = oneOf(['obey', 'ignore']).optional()

/** A section with the keys of a strategy, and those of all. */
export function pollingSection<T extends z.ZodRawShape>(shape: T) {
  return section({ ...shape, hint })
}

/** The same in a plan. */
export const HINT = { hint: z.literal('obey').exactOptional() }

/** The part of the policy that does not depend on the strategy. */
export function hinted(value: { hint?: unknown }): PollingHint {
  return value.hint === 'obey' ? { hint: 'obey' } : {}
}
