/** The webhooks that a kickoff names, and the bodies that are sent to them. */
import type { EventType, Hook, Pushed } from '../../../src/crew/push.ts'
import { EVENT_TYPES } from '../../../src/crew/push.ts'
import { isLoopback } from '../../../src/base/loopback.ts'
import type { ExecutionView } from '../work/execution-view.ts'

export interface Webhook {
  hook: Hook
  url: string
  /** The bearer token of `webhooks`; null for none: the others carry no authorization. */
  bearer: string | null
}

/** The webhooks of one kickoff. */
export interface KickoffWebhooks {
  list: readonly Webhook[]
  /** The types of events that are streamed. */
  types: readonly string[]
  /** Whether each event is sent at once; else in batches. */
  realtime: boolean
  meta: unknown
}

/** Null if the body, which was already checked, names none. */
export function webhooksOf(body: string): KickoffWebhooks | null {
  if (!/webhook/i.test(body)) return null
  const members = JSON.parse(body) as Readonly<Record<string, unknown>>
  const streamed = recordOf(members['webhooks'])
  const { strategy, token } = recordOf(streamed['authentication'])
  const bearer = strategy === 'bearer' && typeof token === 'string' ? token : null
  const named = [
    { hook: 'step', url: members['stepWebhookUrl'], bearer: null },
    { hook: 'task', url: members['taskWebhookUrl'], bearer: null },
    { hook: 'crew', url: members['crewWebhookUrl'], bearer: null },
    { hook: 'events', url: streamed['url'], bearer },
  ] as const
  const list = named.flatMap(({ url, ...rest }) =>
    typeof url === 'string' && url !== '' ? [{ ...rest, url }] : [],
  )
  if (list.length === 0) return null
  const { events, realtime } = streamed
  const types = Array.isArray(events) ? events.map(String) : []
  return { list, types, realtime: realtime !== false, meta: members['meta'] ?? null }
}

/** Whether the URL is one of this machine. */
export function isNear(url: string): boolean {
  try {
    return isLoopback(new URL(url).hostname)
  } catch {
    return false
  }
}

/** Something that happened to an execution. */
export interface PushEvent {
  reports: Pushed
  /** The task that it is about, from 0. */
  task: number
  atMicros: number
}

export interface PayloadContext {
  kickoffId: string
  meta: unknown
  tasks: readonly { id: string; agent: string }[]
  view: ExecutionView
}

/** The body for one of the hooks that are sent event by event. */
export function payloadOf({ reports, task }: PushEvent, context: PayloadContext): unknown {
  const { kickoffId, meta, tasks, view } = context
  const about = { kickoff_id: kickoffId, meta }
  switch (reports) {
    case 'step':
      return {
        prompt: '',
        thought: `Work on ${tasks[task]!.id}`,
        tool: 'search',
        tool_input: '{}',
        result: '',
        ...about,
      }
    case 'task': {
      const { id, agent } = tasks[task]!
      const output = view.output(task)
      const summary = `${output.slice(0, 60)}...`
      const said = { description: id, name: id, expected_output: '', summary, agent }
      return { ...said, output, output_json: null, ...about }
    }
    default: {
      const { total_tokens, prompt_tokens, completion_tokens } = view.usage ?? {}
      const used = { total_tokens, prompt_tokens, completion_tokens }
      return {
        kickoff_id: kickoffId,
        result: view.output(tasks.length - 1),
        result_json: null,
        ...(view.usage === undefined ? {} : { token_usage: used }),
        meta,
      }
    }
  }
}

/** One event of a stream. `id` is the same each time it is sent. */
export function streamedEvent(
  { reports, task, atMicros }: PushEvent,
  { kickoffId, tasks }: PayloadContext,
  { id, anchorUnixMs }: { id: string; anchorUnixMs: number },
): unknown {
  return {
    id,
    execution_id: kickoffId,
    timestamp: new Date(anchorUnixMs + atMicros / 1_000).toISOString(),
    type: typeOf(reports),
    data: reports === 'task' ? { task_name: tasks[task]!.id } : {},
  }
}

/** Null for what is not streamed. */
export function typeOf(reports: Pushed): EventType | null {
  const found = Object.entries(EVENT_TYPES).find(([, each]) => each === reports)
  return found === undefined ? null : (found[0] as EventType)
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? (value as Readonly<Record<string, unknown>>) : {}
}
