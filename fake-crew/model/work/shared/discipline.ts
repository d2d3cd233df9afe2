/** Queue disciplines: which of the executions that wait a free worker takes next. */
import { z } from 'zod'
import { unreachable } from '../../../../src/base/assert.ts'
import { DueHeap } from '../../../../src/base/collections/heap.ts'
import { inputsOf } from '../../kickoff.ts'
import { oneOf, text } from '../../schema/quantities.ts'
import { WaitingQueue } from '../queue.ts'

const BY_HELP = 'expected token, { header: NAME } or { input: NAME }'

const by = z
  .union(
    [
      z.literal('token'),
      z.strictObject({ header: text('the name of a header').toLowerCase() }),
      z.strictObject({ input: text('the name of an input') }),
    ],
    { error: BY_HELP },
  )
  .meta({
    description:
      'What of a kickoff says its tenant or its priority: token, { header: NAME } or ' +
      '{ input: NAME }. The priority of an organization token is 1; what is no number, is 0.',
  })

export const queue = z
  .strictObject({
    discipline: oneOf(['fifo', 'fair', 'priority']).meta({
      description:
        'fifo: first come, first served; fair: one execution of each tenant in turn (round ' +
        'robin); priority: the highest number first. None of them interrupts an execution.',
    }),
    by: by.exactOptional(),
  })
  .refine(({ discipline, by: named }) => (discipline === 'fifo') === (named === undefined), {
    path: ['by'],
    error: `${BY_HELP} with fair or priority, and nothing with fifo`,
  })
  .meta({ description: 'Which of the waiting executions a free worker takes. Default: fifo.' })

export type QueueProfile = z.output<typeof queue>

/** What a kickoff says about its turn. */
export interface Turn {
  tenant?: string
  priority?: number
  /** How many executions workers took before it; null while it waits. */
  served: number | null
}

/** `token`: whose token the kickoff had. Null where executions are served first come. */
export function turnOf(
  { discipline, by: named }: QueueProfile,
  token: 'organization' | 'user',
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
): Turn | null {
  if (named === undefined) return null
  const isPriority = discipline === 'priority'
  if (named === 'token') {
    return isPriority
      ? { priority: token === 'organization' ? 1 : 0, served: null }
      : { tenant: token, served: null }
  }
  const value = 'header' in named ? headers[named.header] : inputsOf(body)[named.input]
  if (!isPriority) return { tenant: textOf(value), served: null }
  const number = Number(textOf(value))
  return { priority: Number.isFinite(number) ? number : 0, served: null }
}

/** Kickoffs that name no tenant share the empty one. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Those who wait for a worker. */
export interface WaitingLine<Item> {
  push(item: Item, turn: Turn | null): void
  /** Takes out the one who is served next; undefined if nobody waits. */
  shift(): Item | undefined
}

export function waitingLine<Item>(discipline: QueueProfile['discipline']): WaitingLine<Item> {
  switch (discipline) {
    case 'fifo':
      return firstCome()
    case 'fair':
      return roundRobin()
    case 'priority':
      return byPriority()
    default:
      return unreachable(discipline)
  }
}

function firstCome<Item>(): WaitingLine<Item> {
  const items = new WaitingQueue<Item>()
  return {
    push: (item) => items.push(item),
    shift() {
      const { first } = items
      if (first !== undefined) items.shift()
      return first
    },
  }
}

/**
 * Tenants with someone who waits stand in a circle: the one whose turn it is has one execution
 * taken, and goes to the end (Nagle, "On packet switches with infinite storage", 1987).
 */
function roundRobin<Item>(): WaitingLine<Item> {
  const circle = new WaitingQueue<string>()
  const lines = new Map<string, WaitingQueue<Item>>()
  return {
    push(item, turn) {
      const tenant = turn?.tenant ?? ''
      const line = lines.get(tenant) ?? new WaitingQueue<Item>()
      line.push(item)
      if (lines.has(tenant)) return
      lines.set(tenant, line)
      circle.push(tenant)
    },
    shift() {
      const tenant = circle.first
      if (tenant === undefined) return undefined
      circle.shift()
      const line = lines.get(tenant)!
      const item = line.first
      line.shift()
      if (line.first === undefined) lines.delete(tenant)
      else circle.push(tenant)
      return item
    },
  }
}

function byPriority<Item>(): WaitingLine<Item> {
  const items = new DueHeap<Item>()
  return {
    push: (item, turn) => items.push(-(turn?.priority ?? 0), item),
    shift: () => items.pop(),
  }
}
