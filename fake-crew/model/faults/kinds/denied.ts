/** A token that is good no more: revoked, or expired (RFC 6750, section 3.1). */
import type { Content } from '../../exchange.ts'
import { withHeaders } from '../../exchange.ts'
import type { Effect, Scene } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

type DeniedFault = Extract<FaultWhat, { kind: 'denied' }>

const EXPIRED = 'Bearer error="invalid_token", error_description="The access token expired"'

export function deniedEffect({ why, token }: DeniedFault): Effect {
  return {
    applies: ({ call, stage }) =>
      call.token !== undefined && (token === 'any' || call.token === stage.tokens[token]),
    instead: (scene) => refusal(scene, why),
  }
}

function refusal({ stage }: Scene, why: DeniedFault['why']): Content {
  const content = stage.refuse({ kind: 'unauthenticated', presented: true })
  if (why === 'revoked') return content
  return withHeaders(content, { 'www-authenticate': EXPIRED })
}
