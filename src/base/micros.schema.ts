/** A point or a duration in documents. */
import { z } from 'zod'

export const micros = z.int().describe('Integer microseconds on the run clock, or a duration')
