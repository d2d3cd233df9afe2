/** Pushes to webhooks: how a crew words what it reports unasked, and how a client reads that. */
import { isObject } from './json.ts'
import { fingerprint } from '../base/fingerprint.ts'
import type { TokenUsage } from './usage.ts'
import { readUsage } from './usage.ts'

/** The webhooks of a kickoff, by what they are sent. `events` is the member `webhooks`. */
export const HOOKS = ['step', 'task', 'crew', 'events'] as const
export type Hook = (typeof HOOKS)[number]

/** Whether one of them is sent the end of an execution. */
export function reportEnds(hooks: readonly Hook[]): boolean {
  return hooks.includes('crew') || hooks.includes('events')
}

/** What a push reports about its execution. */
export const PUSHED = ['started', 'step', 'task', 'completed', 'failed'] as const
export type Pushed = (typeof PUSHED)[number]

/** The types of streamed events, with what each reports. */
export const EVENT_TYPES = {
  crew_kickoff_started: 'started',
  task_completed: 'task',
  crew_kickoff_completed: 'completed',
  crew_kickoff_failed: 'failed',
} as const satisfies Readonly<Record<string, Pushed>>
export type EventType = keyof typeof EVENT_TYPES

/** The signature of a push: HMAC-SHA256 over the timestamp, a full stop and the body. */
export const SIGNATURE_HEADER = 'x-signature'
export const TIMESTAMP_HEADER = 'x-timestamp'
export const SIGNATURE_BEGINS = 'sha256='

export interface PushItem {
  hook: Hook
  kickoffId: string
  /** Null for an event of another type. */
  reports: Pushed | null
  /** Two pushes about one execution with the same key report the same thing. */
  key: string
  /** The tokens of the execution, where the push reports them. */
  usage?: TokenUsage
}

/** One item for each thing that a push reports; null for a body of another shape. */
export function readPush(body: unknown): PushItem[] | null {
  if (!isObject(body)) return null
  const { events } = body
  if (Array.isArray(events)) {
    const items = events.map(eventItem)
    return items.every((item) => item !== null) ? items : null
  }
  const { kickoff_id: kickoffId } = body
  if (typeof kickoffId !== 'string') return null
  const keyed = (hook: Hook, reports: Pushed, key: string): PushItem[] => [
    { hook, kickoffId, reports, key },
  ]
  if ('thought' in body || 'tool' in body) {
    return keyed('step', 'step', `step ${fingerprint(JSON.stringify(body))}`)
  }
  if ('expected_output' in body || 'agent' in body) {
    return keyed('task', 'task', `task ${String(body['name'])}`)
  }
  if (!('result' in body)) return null
  const usage = readUsage(body)
  const [item] = keyed('crew', 'completed', 'crew')
  return [{ ...item!, ...(usage === null ? {} : { usage }) }]
}

function eventItem(event: unknown): PushItem | null {
  if (!isObject(event)) return null
  const { id, execution_id: kickoffId, type } = event
  if (typeof id !== 'string' || typeof kickoffId !== 'string' || typeof type !== 'string') {
    return null
  }
  const reports = Object.hasOwn(EVENT_TYPES, type) ? EVENT_TYPES[type as EventType] : null
  return { hook: 'events', kickoffId, reports, key: `event ${id}` }
}
