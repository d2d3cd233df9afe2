/** A request as the crew reads it: who asks for which operation, about which execution. */
import type { Operation } from '../../src/crew/answer.ts'
import type { Micros } from '../../src/base/units.ts'
import type { FakeRequest } from './exchange.ts'
import type { CrewRoute } from './route.ts'

export interface Tokens {
  organization: string
  user: string
}

export interface Call {
  request: FakeRequest
  /** The bearer token presented; undefined if none can be read. */
  token: string | undefined
  /** Undefined for a path outside the interface. */
  route: CrewRoute | undefined
  /** The execution that a status path names; undefined if there is none. */
  ordinal: number | undefined
  nowMicros: Micros
  /** The test to which it belongs, by its header or its execution; null for none. */
  test: string | null
}

/** The operation that a request asks for with an allowed method; null for none. */
export function operationOf({ request: { method }, route }: Call): Operation | null {
  if (route === undefined || method === 'OPTIONS' || !route.methods.includes(method)) return null
  return route.operation
}

/** The case of the scheme is ignored (RFC 9110, section 11.1). */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
}

/** `bearerToken` with a cache: most requests present the same header as the one before. */
export function tokenReader(): typeof bearerToken {
  let known: string | undefined
  let token: string | undefined
  return (authorization) => {
    if (authorization === known) return token
    known = authorization
    token = bearerToken(authorization)
    return token
  }
}
