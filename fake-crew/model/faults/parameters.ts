/**
 * Parameters that several kinds of fault share, as an author writes them and as the complete form
 * holds them.
 */
import { z } from 'zod'
import { distribution } from '../schema/distribution.ts'
import { duration, share } from '../schema/quantities.ts'
import { share as completeShare } from '../schema/complete-form/quantities.ts'

export const anyDuration = distribution(duration, 'a duration')

export const lasting = duration.refine((micros) => micros > 0, {
  error: 'expected a duration above 0',
})

export const partOfBody = share.refine((part) => part < 1, {
  error: 'expected a share below 100%',
})

export const printable = /^[\t\x20-\x7e]*$/

const flag = z.boolean({ error: 'expected true or false' })

/** Whether the operation is performed all the same. */
export function carriedOut(byDefault: boolean) {
  return flag
    .prefault(byDefault)
    .meta({ description: 'Whether the operation is performed all the same.' })
}

export const partOfBodyComplete = completeShare.refine((part) => part < 1, {
  error: 'expected a share below 1',
})
