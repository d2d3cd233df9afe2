/** The schema of a time in documents: a point on the run clock, or a duration. */
import { z } from 'zod'

export const micros = z.int().describe('Integer microseconds on the run clock, or a duration')
