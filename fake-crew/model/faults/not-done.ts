/**
 * A placeholder for the answer to a request that is neither performed nor answered: none of it is
 * ever sent.
 */
import type { Content } from '../exchange.ts'

export const NOT_DONE: Content = { status: 500, headers: {}, body: null }
