/** Faults of an answer: late, in another type, broken, or refused for the token. */
import { z } from 'zod'
import { draw } from '../../../../src/base/distribution.ts'
import { withHeaders } from '../../exchange.ts'
import { oneOf, text, time } from '../../schema/quantities.ts'
import {
  AFTER_INPUTS,
  EVERY_OPERATION,
  defineFault,
  needsCondition,
  noParameters,
  printable,
} from '../definition.ts'

export const latency = defineFault({
  kind: 'latency',
  description: "Added to the answer's delay. Real time: speed does not change it.",
  reach: EVERY_OPERATION,
  written: time.transform((delay) => ({ delay })),
  effect: ({ delay }) => ({
    delayMicros: ({ random }) => Math.max(0, Math.round(draw(delay, random.fork('delay')))),
  }),
  examples: [
    {
      name: 'slow',
      latency: { lognormal: { median: '50ms', p95: '500ms', cap: '2s' } },
      operations: AFTER_INPUTS,
      chance: '5%',
    },
  ],
})

/** The text breaks off halfway, and the length matches it. */
export const malformed = defineFault({
  kind: 'malformed',
  description: 'A complete answer whose body is not JSON.',
  reach: EVERY_OPERATION,
  written: noParameters,
  effect: () => ({
    content: ({ status, headers, body }) => {
      const whole = body ?? ''
      return { status, headers, body: `${whole.slice(0, Math.floor(whole.length / 2))}<` }
    },
  }),
  examples: [{ name: 'malformed', malformed: {}, operations: AFTER_INPUTS, chance: '1%' }],
})

export const contentType = defineFault({
  kind: 'contentType',
  description: 'The right body with this content type.',
  reach: EVERY_OPERATION,
  written: text('a content type')
    .refine((type) => printable.test(type), { error: 'expected a content type' })
    .transform((type) => ({ type })),
  effect: ({ type }) => ({
    content: ({ status, headers, body }) => ({
      status,
      headers: { ...headers, 'content-type': type },
      body,
    }),
  }),
  examples: [
    { name: 'wrong type', contentType: 'text/html', operations: AFTER_INPUTS, chance: '1%' },
  ],
})

/** RFC 6750, section 3.1. */
const EXPIRED = 'Bearer error="invalid_token", error_description="The access token expired"'

export const denied = defineFault({
  kind: 'denied',
  description: 'The token is expired or revoked: 401.',
  reach: EVERY_OPERATION,
  written: z.strictObject({
    why: oneOf(['revoked', 'expired']).prefault('revoked'),
    token: oneOf(['organization', 'user', 'any']).prefault('any'),
  }),
  effect: ({ why, token }) => ({
    applies: ({ call, stage }) =>
      call.token !== undefined && (token === 'any' || call.token === stage.tokens?.[token]),
    instead: ({ stage }) => {
      const content = stage.refuse({ kind: 'unauthenticated', presented: true })
      return why === 'revoked' ? content : withHeaders(content, { 'www-authenticate': EXPIRED })
    },
  }),
  proxyProblem: ({ token }) =>
    token === 'any' ? null : needsCondition('token: any', 'a proxy knows no tokens'),
  examples: [{ name: 'token glitch', denied: {}, operations: AFTER_INPUTS, chance: '0.5%' }],
})
