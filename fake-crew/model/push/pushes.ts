/**
 * The pushes of a crew to the webhooks of its kickoffs: what is sent, when, and what becomes of it.
 * Everything is decided here, on the crew's own clock; a host only carries the pushes.
 */
import { assert } from '../../../src/base/assert.ts'
import { DueHeap } from '../../../src/base/collections/heap.ts'
import type { PushRow } from '../../../src/crew/ledger.ts'
import type { Random } from '../../../src/base/random.ts'
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import { drawMicros } from '../work/demand.ts'
import type { TaskProfile } from '../work/profile.ts'
import type { WorkerPool } from '../work/worker-pool.ts'
import type { PayloadContext, PushEvent, Webhook, KickoffWebhooks } from './payloads.ts'
import { isNear, payloadOf, streamedEvent, typeOf, webhooksOf } from './payloads.ts'
import type { WebhooksProfile } from './profile.ts'

/** Events in one POST of a stream that is not sent in real time: four were seen in the field. */
const BATCH = 4

/** One attempt, which a host sends now. */
export interface Push {
  url: string
  /** JSON. */
  body: string
  bearer: string | null
  signature: WebhooksProfile['signature']
}

export interface PushOptions {
  profile: { webhooks: WebhooksProfile; tasks: readonly TaskProfile[] }
  random: Random
  pool: WorkerPool
  /** Wall clock at the model's time zero, Unix milliseconds. */
  anchorUnixMs: number
  /** Called when pushes may be due sooner than `nextMicros` said. */
  sooner: () => void
}

/** An execution with webhooks that has not ended. */
interface WatchedExecution {
  hooks: KickoffWebhooks
  isStarted: boolean
  tasks: number
  isReported: boolean
  /** Events that wait for their batch. */
  batch: PushEvent[]
  /** Streamed events so far. */
  streamed: number
  outbox: Outbox
}

/** What an execution has sent; it outlives the watch. */
interface Outbox {
  ordinal: number
  rows: PushRow[]
  lastMicros: Micros
}

interface Outgoing extends Push {
  outbox: Outbox
  row: PushRow
  random: Random
  attempt: number
}

type PlannedPush = { kind: 'look'; ordinal: number } | { kind: 'send'; outgoing: Outgoing }

export class Pushes {
  readonly #options: PushOptions
  readonly #watched = new Map<number, WatchedExecution>()
  readonly #outboxes = new Map<number, Outbox>()
  readonly #dues = new DueHeap<PlannedPush>()
  /** Executions to look at because they share more than workers, or advance by polls. */
  readonly #stirred = new Set<number>()
  readonly #sent = new WeakMap<Push, { outgoing: Outgoing; send: PushRow['sends'][number] }>()

  constructor(options: PushOptions) {
    this.#options = options
  }

  /** When `take` has something to do next; Infinity for never. */
  get nextMicros(): Micros {
    if (this.#watched.size === 0) return this.#dues.nextDue
    if (this.#stirred.size > 0) return 0
    return Math.min(this.#dues.nextDue, this.#options.pool.nextEventMicros)
  }

  /** A kickoff was accepted. */
  watch(ordinal: number, body: string, nowMicros: Micros): void {
    const hooks = webhooksOf(body)
    if (hooks === null) return
    const outbox = { ordinal, rows: [], lastMicros: 0 }
    const fresh = { isStarted: false, tasks: 0, isReported: false, batch: [], streamed: 0 }
    this.#watched.set(ordinal, { hooks, ...fresh, outbox })
    this.#outboxes.set(ordinal, outbox)
    this.#dues.push(nowMicros, { kind: 'look', ordinal })
    this.#options.sooner()
  }

  /** `POST /resume` continues the execution: what it does not name gets no pushes any more. */
  resumed(ordinal: number, body: string, nowMicros: Micros): void {
    this.#look(ordinal, nowMicros)
    const watched = this.#watched.get(ordinal)
    if (watched === undefined) return
    const hooks = webhooksOf(body)
    if (hooks === null) this.#watched.delete(ordinal)
    else watched.hooks = { ...hooks, meta: watched.hooks.meta }
  }

  /** Something may have happened to the execution. */
  stir(ordinal: number): void {
    if (!this.#watched.has(ordinal)) return
    this.#stirred.add(ordinal)
    this.#options.sooner()
  }

  /** The attempts to be sent now, in order. The crew's executions are settled until then. */
  take(nowMicros: Micros): Push[] {
    for (const ordinal of this.#stirred) this.#look(ordinal, nowMicros)
    this.#stirred.clear()
    const taken: Push[] = []
    while (this.#dues.nextDue <= nowMicros) {
      const dueMicros = this.#dues.nextDue
      const due = this.#dues.pop()!
      if (due.kind === 'look') this.#look(due.ordinal, nowMicros)
      else taken.push(...this.#attempt(due.outgoing, dueMicros))
    }
    return taken
  }

  /** The answer to a push: its status code, or null for none. */
  answered(push: Push, status: number | null, nowMicros: Micros): void {
    const sent = this.#sent.get(push)
    if (sent === undefined) return
    sent.send.status = status
    if (status === null || status < 200 || status > 299) this.#retry(sent.outgoing, nowMicros)
  }

  /** What the ledger says of the execution's pushes; undefined if it has no webhooks. */
  rows(ordinal: number): readonly PushRow[] | undefined {
    return this.#outboxes.get(ordinal)?.rows
  }

  /** The ledger no longer has the executions before this one. */
  dropBefore(first: number): void {
    for (const ordinal of this.#outboxes.keys()) {
      if (ordinal >= first) return
      this.#outboxes.delete(ordinal)
      this.#watched.delete(ordinal)
    }
  }

  #look(ordinal: number, nowMicros: Micros): void {
    const watched = this.#watched.get(ordinal)
    if (watched === undefined) return
    const { pool, profile } = this.#options
    const view = pool.known(ordinal, nowMicros)
    if (view === null) return void this.#watched.delete(ordinal)
    const { tasks } = profile
    const context = { kickoffId: pool.ids.idOf(ordinal), meta: watched.hooks.meta, tasks, view }
    const happens = (event: PushEvent): void => this.#happens(watched, event, context)
    if (view.phase !== 'queued' && !watched.isStarted) {
      watched.isStarted = true
      happens({ reports: 'started', task: 0, atMicros: view.startedMicros })
    }
    for (; watched.tasks < view.completedTasks; watched.tasks++) {
      const { tasks: task } = watched
      const atMicros = pool.taskEndMicros(ordinal, task)
      this.#reportEarly(watched, context, happens)
      for (let step = 0; step < profile.webhooks.steps; step++) {
        happens({ reports: 'step', task, atMicros })
      }
      happens({ reports: 'task', task, atMicros })
    }
    this.#reportEarly(watched, context, happens)
    if (view.endedMicros < Infinity) {
      const reports = view.phase === 'completed' ? 'completed' : 'failed'
      if (!watched.isReported) happens({ reports, task: 0, atMicros: view.endedMicros })
      this.#flush(watched, context)
      this.#watched.delete(ordinal)
    } else {
      const nextMicros = pool.nextChange(ordinal, nowMicros)
      assert(nextMicros > nowMicros, 'the next change of an execution is ahead')
      if (nextMicros < Infinity) this.#dues.push(nextMicros, { kind: 'look', ordinal })
    }
  }

  /** The end of a completed execution, when its last task begins. */
  #reportEarly(
    watched: WatchedExecution,
    { tasks, view }: PayloadContext,
    happens: (event: PushEvent) => void,
  ): void {
    const { early } = this.#options.profile.webhooks
    const isLast = watched.tasks === tasks.length - 1
    if (early === 0 || watched.isReported || !watched.isStarted || !isLast) return
    const { pool } = this.#options
    const { ordinal } = watched.outbox
    const random = this.#options.random.fork('early', ordinal)
    if (pool.fateOf(ordinal) !== 'completed' || random.next() >= early) return
    const before = watched.tasks - 1
    const atMicros = before < 0 ? view.startedMicros : pool.taskEndMicros(ordinal, before)
    watched.isReported = true
    happens({ reports: 'completed', task: 0, atMicros })
  }

  #happens(watched: WatchedExecution, event: PushEvent, context: PayloadContext): void {
    const { hooks } = watched
    for (const webhook of hooks.list) {
      if (webhook.hook === 'events') this.#stream(watched, event, context)
      else if (webhook.hook === HOOK_OF[event.reports]) {
        this.#send(watched.outbox, webhook, [event], payloadOf(event, context))
      }
    }
  }

  #stream(watched: WatchedExecution, event: PushEvent, context: PayloadContext): void {
    const { types, realtime } = watched.hooks
    const type = typeOf(event.reports)
    if (type === null || !types.includes(type)) return
    watched.batch.push(event)
    if (realtime || watched.batch.length >= BATCH) this.#flush(watched, context)
  }

  #flush(watched: WatchedExecution, context: PayloadContext): void {
    const { batch, hooks, outbox } = watched
    const webhook = hooks.list.find(({ hook }) => hook === 'events')
    if (batch.length === 0 || webhook === undefined) return
    const { anchorUnixMs } = this.#options
    const events = batch.map((event) => {
      const id = `${context.kickoffId}-${watched.streamed++}`
      return streamedEvent(event, context, { id, anchorUnixMs })
    })
    watched.batch = []
    this.#send(outbox, webhook, batch, { events })
  }

  #send(outbox: Outbox, webhook: Webhook, events: readonly PushEvent[], payload: unknown): void {
    const { profile, random } = this.#options
    const { reach, duplicated, signature } = profile.webhooks
    const { url, bearer, hook } = webhook
    const atMicros = events.at(-1)!.atMicros
    const isBlocked = reach === 'loopback' && !isNear(url)
    const row: PushRow = {
      hook,
      reports: events.map(({ reports }) => reports),
      at_ms: atMicros / MICROS_PER_MS,
      sends: [],
      ...(isBlocked ? { blocked: true as const } : {}),
    }
    const own = random.fork('push', outbox.ordinal).fork('number', outbox.rows.length)
    outbox.rows.push(row)
    if (isBlocked) return
    const body = JSON.stringify(payload)
    const made = { url, body, bearer, signature, outbox, row, random: own, attempt: 0 }
    this.#schedule(made, atMicros)
    const again = own.fork('duplicate')
    if (duplicated > 0 && again.next() < duplicated) {
      this.#schedule({ ...made, random: again }, atMicros)
    }
  }

  #schedule(outgoing: Outgoing, fromMicros: Micros): void {
    const { delay, order } = this.#options.profile.webhooks
    const { outbox, random } = outgoing
    const dueMicros = fromMicros + Math.round(drawMicros(delay, random.fork('delay')))
    const keptMicros = order === 'kept' ? Math.max(dueMicros, outbox.lastMicros) : dueMicros
    outbox.lastMicros = Math.max(outbox.lastMicros, keptMicros)
    this.#dues.push(keptMicros, { kind: 'send', outgoing })
  }

  #attempt(outgoing: Outgoing, dueMicros: Micros): Push[] {
    const { lost } = this.#options.profile.webhooks
    const { url, body, bearer, signature, row, random, attempt } = outgoing
    const isLost = lost > 0 && random.fork('attempt', attempt).next() < lost
    const send = { at_ms: dueMicros / MICROS_PER_MS, lost: isLost, status: null }
    row.sends.push(send)
    if (isLost) {
      this.#retry(outgoing, dueMicros)
      return []
    }
    const push = { url, body, bearer, signature }
    this.#sent.set(push, { outgoing, send })
    return [push]
  }

  #retry(outgoing: Outgoing, nowMicros: Micros): void {
    const { retry } = this.#options.profile.webhooks
    const attempt = outgoing.attempt + 1
    if (retry === undefined || attempt >= retry.attempts) return
    const pauseMicros = Math.round(retry.wait * 2 ** outgoing.attempt)
    const again = { ...outgoing, attempt }
    this.#dues.push(nowMicros + pauseMicros, { kind: 'send', outgoing: again })
    this.#options.sooner()
  }
}

/** What is pushed to which webhook; a failed execution has no crew push, as live deployments. */
const HOOK_OF = {
  started: null,
  step: 'step',
  task: 'task',
  completed: 'crew',
  failed: null,
} as const
