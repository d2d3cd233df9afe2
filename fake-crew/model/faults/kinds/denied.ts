/** An expired or revoked token (RFC 6750, section 3.1). */
import { z } from 'zod'
import type { Content } from '../../exchange.ts'
import { withHeaders } from '../../exchange.ts'
import { oneOf } from '../../schema/quantities.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault } from '../definition.ts'
import type { Scene } from '../effect.ts'

const WHY = ['revoked', 'expired'] as const
const TOKENS = ['organization', 'user', 'any'] as const

export const denied = defineFault({
  kind: 'denied',
  description: 'The token is expired or revoked: 401.',
  reach: EVERY_OPERATION,
  written: z.strictObject({
    why: oneOf(WHY).prefault('revoked'),
    token: oneOf(TOKENS).prefault('any'),
  }),
  complete: z.strictObject({ kind: z.literal('denied'), why: oneOf(WHY), token: oneOf(TOKENS) }),
  effect: ({ why, token }) => ({
    applies: ({ call, stage }) =>
      call.token !== undefined && (token === 'any' || call.token === stage.tokens[token]),
    instead: (scene) => refusal(scene, why),
  }),
  proxyProblem: ({ token }) =>
    token === 'any' ? null : 'expected token: any; a proxy knows no tokens',
  examples: [{ name: 'token glitch', denied: {}, operations: AFTER_INPUTS, chance: '0.5%' }],
})

const EXPIRED = 'Bearer error="invalid_token", error_description="The access token expired"'

function refusal({ stage }: Scene, why: (typeof WHY)[number]): Content {
  const content = stage.refuse({ kind: 'unauthenticated', presented: true })
  if (why === 'revoked') return content
  return withHeaders(content, { 'www-authenticate': EXPIRED })
}
