/**
 * Parameters that several limiters share, as an author writes them and as the complete form holds
 * them.
 */
import { z } from 'zod'
import { count, duration } from '../schema/quantities.ts'
import { lasting, numberFrom } from '../schema/complete-form/quantities.ts'

export const window = duration.refine((micros) => micros > 0, {
  error: 'expected a duration above 0',
})

export const limit = count(1).meta({ description: 'Requests in a window.' })

export const completeRate = z.strictObject({
  count: numberFrom(Number.MIN_VALUE, 'a count above 0'),
  perMicros: lasting,
})
