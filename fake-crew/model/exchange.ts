/** What the fake crew is asked and what it answers, free of sockets: a server performs it, virtual time simulates it. */
import type { Micros } from '../../src/units.ts'

export interface FakeRequest {
  method: string
  /** The request's target as it came, query included: `/status/<id>`. */
  path: string
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>
  /** Null for none. */
  body: string | null
  /** The host gave up reading a body beyond the profile's limit; `body` does not count then. */
  oversize?: boolean
  /** The peer's address: what limiters by address go by. */
  address: string
}

/** Status, headers (lower-case names) and body of an answer. */
export interface Content {
  status: number
  headers: Readonly<Record<string, string>>
  /** Null for none. A string is sent as UTF-8, with its length. */
  body: string | null
}

/** How a reply reaches the client. */
export type Delivery = { kind: 'whole' }

export interface Reply extends Content {
  /** From the request's arrival to the first byte of the answer. */
  delayMicros: Micros
  delivery: Delivery
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

export function jsonContent(
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Content {
  return jsonTextContent(status, JSON.stringify(body), headers)
}

/** `body` is JSON already. */
export function jsonTextContent(
  status: number,
  body: string,
  headers?: Readonly<Record<string, string>>,
): Content {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
    body,
  }
}
