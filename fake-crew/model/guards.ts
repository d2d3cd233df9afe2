/** Guards in front of the operation: what is not allowed is answered in its place. */
import type { Operation } from '../../src/crew/answer.ts'
import type { Call, Tokens } from './call.ts'
import type { Content } from './exchange.ts'
import type { Profile } from './profile.ts'
import type { Refusal } from './refusal.ts'
import { pathOf } from './route.ts'

/** The facts that the guards use. */
export interface GuardContext {
  profile: Profile
  tokens: Tokens
}

type Guarded =
  | { kind: 'pass'; operation: Operation }
  | { kind: 'answered'; content: Content }
  | { kind: 'refused'; refusal: Refusal }

/**
 * 401 comes before anything else: no order is documented, and an unauthenticated client should
 * learn nothing. Limiters come later, so that only requests that would be performed are counted.
 */
export function passGuards({ request, token, route }: Call, context: GuardContext): Guarded {
  const { profile, tokens } = context
  const isOrganization = token === tokens.organization
  if (token === undefined || (!isOrganization && token !== tokens.user)) {
    const presented = request.headers['authorization'] !== undefined
    return refused({ kind: 'unauthenticated', presented })
  }
  if (route === undefined) return refused({ kind: 'no-such-path', path: pathOf(request.path) })
  const { operation, methods } = route
  const { method } = request
  if (!methods.includes(method)) {
    return refused({ kind: 'method-not-allowed', method, allow: methods.join(', ') })
  }
  // The server as a whole (`*`) allows nothing else.
  if (method === 'OPTIONS' || operation === null) {
    const headers = { allow: methods.join(', ') }
    return { kind: 'answered', content: { status: 204, headers, body: null } }
  }
  if (isOrganization || profile.tokens.user[operation]) return { kind: 'pass', operation }
  return refused({ kind: 'forbidden', operation })
}

function refused(refusal: Refusal): Guarded {
  return { kind: 'refused', refusal }
}
