/** The options that polling and retries share: how waits grow, and how they are randomised. */
import { JITTERS } from '../backoff.ts'
import { oneOf } from './quantities.ts'

export const MAX_FACTOR = 10

export const jitter = oneOf(JITTERS)
