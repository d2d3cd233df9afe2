/** Sends the pushes of a crew over HTTP when its model says so, and signs them. */
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../src/base/units.ts'
import { SIGNATURE_BEGINS, SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../../src/crew/push.ts'
import type { Crew } from '../model/crew.ts'
import type { Push } from '../model/push/pushes.ts'
import { tellBug } from './bugs.ts'
import type { LiveModel } from './live-model.ts'

/** Live deployments wait so long for an answer; on the crew's clock. */
const ANSWER_LIMIT_MICROS = 30 * MICROS_PER_SECOND

/** A manual clock stands still so long, on the wall clock, for a receiver to answer. */
const PATIENCE_MS = 2_000

const MS_PER_SECOND = 1_000

/** A secret that nobody shares: what it signs is wrong. */
const WRONG_SECRET = 'wrong'

export class PushSender {
  readonly #live: LiveModel<Crew>
  readonly #secret: string | null
  /** Each resolves when the receiver has answered, or time no longer stands still for it. */
  readonly #awaited = new Set<Promise<void>>()
  /** How many wait for these now. */
  #waits = 0
  readonly #stopped = new AbortController()
  #cancel = (): void => {}
  #isAsked = false

  /** `secret`: the key of signatures; null signs nothing. */
  constructor(live: LiveModel<Crew>, secret: string | null) {
    this.#live = live
    this.#secret = secret
  }

  /** Something may be due sooner; it is sent when the model has done what it does now. */
  followSoon(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    queueMicrotask(() => this.#follow())
  }

  /** Sends what is due, and wakes for what is due next. */
  #follow(): void {
    this.#isAsked = false
    if (this.#stopped.signal.aborted) return
    try {
      this.#sendDue()
    } catch (error) {
      tellBug(error)
    }
  }

  /**
   * What resolves, whenever it is called, once time need not stand still for any push, and none is
   * due. A receiver may move the clock before it answers: what others wait for now is left to them.
   */
  settling(): () => Promise<void> {
    const others = new Set(this.#waits > 0 ? this.#awaited : [])
    const own = (): Promise<void>[] => [...this.#awaited].filter((each) => !others.has(each))
    return async () => {
      this.#waits++
      while (own().length > 0) await Promise.all(own())
      this.#waits--
    }
  }

  stop(): void {
    this.#cancel()
    this.#stopped.abort()
  }

  #sendDue(): void {
    const { model, clock } = this.#live
    this.#cancel()
    while (model.nextPushMicros <= clock.nowMicros()) {
      for (const push of model.duePushes(clock.nowMicros())) this.#send(model, push)
    }
    const leftMicros = model.nextPushMicros - clock.nowMicros()
    if (leftMicros === Infinity) return
    this.#cancel = clock.after(Math.max(1, leftMicros), () => this.#follow())
  }

  #send(model: Crew, push: Push): void {
    const limit = new AbortController()
    const answered = this.#post(push, limit.signal).then((status) => {
      cancel()
      model.pushed(push, status, this.#live.nowMicros())
    })
    const cancel = this.#live.clock.after(ANSWER_LIMIT_MICROS, () => {
      limit.abort()
      this.#await(answered)
    })
    this.#await(Promise.race([answered, sleep(PATIENCE_MS, undefined, { ref: false })]))
  }

  #await(event: Promise<void>): void {
    const awaited = event.finally(() => this.#awaited.delete(awaited))
    this.#awaited.add(awaited)
  }

  /** The status code; null for no answer. */
  async #post(push: Push, limit: AbortSignal): Promise<number | null> {
    try {
      const { status, body } = await fetch(push.url, {
        method: 'POST',
        body: push.body,
        headers: this.#headers(push),
        redirect: 'manual',
        signal: AbortSignal.any([this.#stopped.signal, limit]),
      })
      await body?.cancel()
      return status
    } catch {
      return null
    }
  }

  #headers({ body, bearer, signature }: Push): Record<string, string> {
    const secret = signature === 'wrong' ? WRONG_SECRET : this.#secret
    const { clock } = this.#live
    const unixMs = clock.anchorUnixMs + clock.nowMicros() / MICROS_PER_MS
    const timestamp = Math.floor(unixMs / MS_PER_SECOND)
    const isSigned = secret !== null && signature !== 'none'
    const signed = isSigned ? signedHeaders(`${timestamp}`, body, secret) : {}
    return {
      'content-type': 'application/json',
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...signed,
    }
  }
}

function signedHeaders(timestamp: string, body: string, secret: string): Record<string, string> {
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: SIGNATURE_BEGINS + digest }
}
