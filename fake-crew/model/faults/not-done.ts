/**
 * What stands for the answer to a request that nobody carries out and nobody answers: none of it is
 * ever sent.
 */
import type { Content } from '../exchange.ts'

export const NOT_DONE: Content = { status: 500, headers: {}, body: null }
