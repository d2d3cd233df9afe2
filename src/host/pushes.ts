/** Reads the pushes that a run receives into lines of its journal. */
import { fingerprint } from '../base/fingerprint.ts'
import type { Micros } from '../base/units.ts'
import { excerpt } from '../crew/excerpt.ts'
import { parseJson } from '../crew/json.ts'
import type { Hook } from '../crew/push.ts'
import { EVENT_TYPES, HOOKS, readPush } from '../crew/push.ts'
import type { PushFault, PushLine } from '../execution/record/journal-lines.ts'
import type { InputRecord, InputSource } from '../scenario/inputs.ts'

/** A POST to a webhook of the run. */
export interface ReceivedPush {
  /** The last part of its path. */
  path: string
  body: string
  /** Null: none was presented. */
  bearer: string | null
  /** Null: signatures are not checked. */
  isSigned: boolean | null
}

const LONGEST_ID = 200

/**
 * One line for each thing that the push reports; one with its fault for a push that is refused.
 * `token`: the bearer token that streamed events must carry; null for any.
 */
export function pushLines(push: ReceivedPush, token: string | null, atMicros: Micros): PushLine[] {
  const hook = HOOKS.find((each) => `/${each}` === push.path) ?? null
  const place = { type: 'push', instance: 0, atMicros } as const
  const fault = faultOf(push, hook, token)
  const json = parseJson(push.body)
  const items = fault === null && json.ok ? readPush(json.value) : null
  if (items === null) {
    const shape = json.ok || json.fault === 'wrong-shape' ? 'unknown-shape' : 'not-json'
    return [{ ...place, hook, kickoffId: null, reports: null, key: null, fault: fault ?? shape }]
  }
  return items.map(({ kickoffId, reports, key, usage }) => {
    const id = excerpt(kickoffId, LONGEST_ID)
    const line = { hook, kickoffId: id, reports, key: fingerprint(key) }
    return Object.assign(line, place, usage === undefined ? {} : { usage })
  })
}

/** The status code of the answer to a push. */
export function statusOf([first]: readonly PushLine[]): number {
  return STATUS[first?.fault ?? 'none']
}

const STATUS = {
  none: 204,
  'not-json': 400,
  'unknown-shape': 422,
  'unknown-path': 404,
  'wrong-token': 401,
  'wrong-signature': 401,
  'too-large': 413,
  cut: 400,
} as const satisfies Readonly<Record<PushFault | 'none', number>>

export function refusedPush(fault: PushFault, atMicros: Micros): PushLine {
  const unread = { hook: null, kickoffId: null, reports: null, key: null }
  return { type: 'push', instance: 0, atMicros, ...unread, fault }
}

function faultOf(
  { bearer, isSigned }: ReceivedPush,
  hook: Hook | null,
  token: string | null,
): PushFault | null {
  if (hook === null) return 'unknown-path'
  if (hook === 'events' && token !== null && bearer !== token) return 'wrong-token'
  return isSigned === false ? 'wrong-signature' : null
}

/** The inputs of a plan, with the webhooks of the run among the members of each kickoff. */
export function withWebhooks(
  inputs: InputSource,
  { url, token, hooks }: { url: string; token: string; hooks: readonly Hook[] },
): InputSource {
  const members: InputRecord = Object.fromEntries(
    hooks.map((hook) =>
      hook === 'events'
        ? ['webhooks', streamOf(`${url}/events`, token)]
        : [`${hook}WebhookUrl`, `${url}/${hook}`],
    ),
  )
  const source = (index: number): ReturnType<InputSource> => {
    const arrival = inputs(index)
    return { ...arrival, members: { ...arrival.members, ...members } }
  }
  return Object.assign(source, inputs)
}

function streamOf(url: string, token: string): InputRecord {
  const authentication = { strategy: 'bearer', token }
  return { events: Object.keys(EVENT_TYPES), url, realtime: true, authentication }
}

/** The key of signatures; null: pushes are not signed. */
export function webhookSecret(env: Readonly<Record<string, string | undefined>>): string | null {
  return env['CREWLOAD_WEBHOOK_SECRET'] || null
}
