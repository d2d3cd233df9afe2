/** What the options of every polling strategy have in common. */
import type { z } from 'zod'
import { oneOf } from './quantities.ts'
import { section } from './shapes.ts'
import type { PollingHint } from '../polling/index.ts'

const hint = oneOf(['obey', 'ignore']).optional()

/** A section with the keys of a strategy, and those of all. */
export function pollingSection<T extends z.ZodRawShape>(shape: T) {
  return section({ ...shape, hint })
}

/** The part of the policy that does not depend on the strategy. */
export function hinted(value: { hint?: unknown }): PollingHint {
  return value.hint === 'obey' ? { hint: 'obey' } : {}
}
