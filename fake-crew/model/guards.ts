/**
 * Guards in front of the operation. Each lets a request pass or answers in its place; the first to
 * answer wins.
 */
import { assert } from '../../src/base/assert.ts'
import type { Operation } from '../../src/crew/answer.ts'
import type { Call, Tokens } from './call.ts'
import type { Content } from './exchange.ts'
import type { Profile } from './profile.ts'
import type { Refusal } from './refusal.ts'
import { pathOf } from './route.ts'

/** The facts that every guard may use. */
export interface GuardContext {
  profile: Profile
  tokens: Tokens
}

/** The first guard to answer ends the sequence. */
type Guard = (call: Call, context: GuardContext) => Guarded | null

type Guarded = { kind: 'answered'; content: Content } | { kind: 'refused'; refusal: Refusal }

/**
 * 401 comes before anything else: no order is documented, and an unauthenticated client should
 * learn nothing. Limiters come last, so that only requests that would be performed are counted.
 */
const GUARDS: readonly Guard[] = [authenticated, pathKnown, methodAllowed, permitted]

export function passGuards(
  call: Call,
  context: GuardContext,
): Guarded | { kind: 'pass'; operation: Operation } {
  for (const guard of GUARDS) {
    const answered = guard(call, context)
    if (answered !== null) return answered
  }
  const operation = call.route?.operation ?? null
  assert(operation !== null, 'only an operation of the interface passes every guard')
  return { kind: 'pass', operation }
}

function authenticated({ request, token }: Call, { tokens }: GuardContext): Guarded | null {
  if (token !== undefined && (token === tokens.organization || token === tokens.user)) return null
  return refused({
    kind: 'unauthenticated',
    presented: request.headers['authorization'] !== undefined,
  })
}

function pathKnown({ request, route }: Call): Guarded | null {
  if (route !== undefined) return null
  return refused({ kind: 'no-such-path', path: pathOf(request.path) })
}

function methodAllowed({ request: { method }, route }: Call): Guarded | null {
  const methods = route?.methods ?? []
  const known = methods.includes(method)
  if (known && method !== 'OPTIONS') return null
  const allow = methods.join(', ')
  if (!known) return refused({ kind: 'method-not-allowed', method, allow })
  return { kind: 'answered', content: { status: 204, headers: { allow }, body: null } }
}

function permitted({ token, route }: Call, { profile, tokens }: GuardContext): Guarded | null {
  const operation = route?.operation ?? null
  if (operation === null || profile.tokens.user[operation]) return null
  return token !== tokens.organization ? refused({ kind: 'forbidden', operation }) : null
}

function refused(refusal: Refusal): Guarded {
  return { kind: 'refused', refusal }
}
