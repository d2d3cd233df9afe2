/** Another answer than the crew's: any status code, any body. With `carriedOut`, an error that hides what was done. */
import type { Content } from '../../exchange.ts'
import { jsonContent } from '../../exchange.ts'
import type { Effect, Stage } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

type StatusFault = Extract<FaultWhat, { kind: 'status' }>

/** Standard phrases of what gateways and overloaded servers answer (RFC 9110, section 15; 529 as seen at model vendors). */
const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  529: 'Overloaded',
}

export function statusEffect(fault: StatusFault): Effect {
  if (fault.carriedOut) return { content: (_, { stage }) => contentOf(fault, stage) }
  return { instead: ({ stage }) => contentOf(fault, stage) }
}

/** Answers that have no body, whatever is wished for (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

function contentOf({ code, body, headers: told }: StatusFault, { dialect, speed }: Stage): Content {
  const headers = onWallTime(told, speed)
  if (WITHOUT_BODY.has(code)) return { status: code, headers, body: null }
  if (body !== null) {
    return { status: code, headers: { 'content-type': typeOf(body), ...headers }, body }
  }
  const phrase = PHRASES[code] ?? `HTTP ${code}`
  const error = { error: phrase, message: 'A fault of the fake crew' }
  return jsonContent(code, dialect === 'platform' ? { detail: phrase } : error, headers)
}

/** `Retry-After` in seconds is the crew's time, as all that comes and goes: `speed` divides it. */
function onWallTime(headers: StatusFault['headers'], speed: number): StatusFault['headers'] {
  const scaled = Object.entries(headers).map(([name, value]) => {
    const isWait = name.toLowerCase() === 'retry-after' && /^\d+$/.test(value)
    return [name, isWait ? String(Math.ceil(Number(value) / speed)) : value]
  })
  return Object.fromEntries(scaled) as StatusFault['headers']
}

function typeOf(body: string): string {
  if (/^\s*[[{]/.test(body)) return 'application/json; charset=utf-8'
  return /^\s*</.test(body) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
}
