/** Sends single requests within the budget, and keeps what became of them. */
import { unreachable } from '../../../base/assert.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { Answer, CrewRequest } from '../../../crew/answer.ts'
import { excerpt } from '../../../crew/excerpt.ts'
import { readKickoff } from '../../../crew/read.ts'
import { askedWaitMicros, datedHeaders } from '../../../crew/retry-after.ts'
import { inputsRequest, kickoffRequest, statusRequest } from '../../../crew/request.ts'
import { classOf } from '../analyse/answer-class.ts'
import type { LimitedOperation } from '../document.ts'
import type { Experiment, Observed } from '../analyse/infer/interface.ts'
import type { Client } from './client.ts'
import type { KeptProbe } from './evidence-file.ts'

const BODY_SHOWN = 200

export interface ProberOptions {
  client: Client
  budget: { requests: number; kickoffs: number }
  inputs: Readonly<Record<string, unknown>>
  correlation: string
  signal: AbortSignal
  /** What an earlier process of the same study has sent. */
  known: readonly KeptProbe[]
  keep: (probe: KeptProbe) => void
}

export class Prober {
  readonly #options: ProberOptions
  readonly #sent: Record<LimitedOperation, KeptProbe[]> = { status: [], inputs: [], kickoff: [] }
  readonly #bodies = new Map<LimitedOperation, string>()
  #requests = 0
  #kickoffs = 0
  #execution = 0
  kickoffId: string | null = null
  inputs: Readonly<Record<string, unknown>>

  constructor(options: ProberOptions) {
    this.#options = options
    this.inputs = options.inputs
    // Requests that a target no longer answered, which was lost then, say nothing of it.
    const answered = options.known.findLastIndex(({ status }) => status !== null)
    for (const [i, probe] of options.known.entries()) {
      this.#count(probe.operation)
      if (i <= answered) this.#take(probe)
    }
  }

  get client(): Client {
    return this.#options.client
  }

  get signal(): AbortSignal {
    return this.#options.signal
  }

  get spent(): { requests: number; kickoffs: number } {
    return { requests: this.#requests, kickoffs: this.#kickoffs }
  }

  /**
   * What was sent with the first token: another one may have a limit of its own, and its requests
   * say nothing about this one.
   */
  evidence(operation: LimitedOperation): readonly Observed[] {
    return this.#sent[operation].filter(({ token }) => token === 0)
  }

  /** What was sent with any token. */
  sent(operation: LimitedOperation): readonly Observed[] {
    return this.#sent[operation]
  }

  /** The body of the first refusal; null where none had one. */
  bodyOf(operation: LimitedOperation): string | null {
    return this.#bodies.get(operation) ?? null
  }

  /** Requests that the operation may still have. */
  left(operation: LimitedOperation): number {
    const { requests, kickoffs } = this.#options.budget
    const left = requests - this.#requests
    return operation === 'kickoff' ? Math.min(left, kickoffs - this.#kickoffs) : left
  }

  /** Null when the budget is spent. `token` counts from 0. */
  async send(
    operation: LimitedOperation,
    token = 0,
    burstMs: number | null = null,
  ): Promise<Observed | null> {
    const answered = await this.ask(operation, token, burstMs)
    return answered === null ? null : answered.observed
  }

  /** The same, with the answer itself. */
  async ask(
    operation: LimitedOperation,
    token = 0,
    burstMs: number | null = null,
  ): Promise<{ answer: Answer; observed: Observed } | null> {
    if (this.left(operation) < 1) return null
    this.#count(operation)
    const answer = await this.client.ask(this.#request(operation, token))
    const alone = this.#observe(operation, answer, token)
    const observed = burstMs === null ? alone : { ...alone, burstMs }
    const kickoffId = operation === 'kickoff' ? readKickoff(answer).kickoffId : null
    const probe = { ...observed, operation, token, kickoffId }
    this.#take(probe)
    if (observed.answer === 'refused' && answer.kind === 'answer') {
      if (!this.#bodies.has(operation)) {
        this.#bodies.set(operation, excerpt(answer.body, BODY_SHOWN))
      }
    }
    this.#options.keep(probe)
    return { answer, observed }
  }

  /** `count` requests at once. */
  async burst(operation: LimitedOperation, count: number, token = 0): Promise<Observed[]> {
    return this.useUp(operation, count, token).all
  }

  /**
   * The same: that one of them was refused is known before those are answered that are held back.
   * `sentMs`: when they were sent.
   */
  useUp(
    operation: LimitedOperation,
    count: number,
    token = 0,
  ): { sentMs: number; isRefused: Promise<boolean>; all: Promise<Observed[]> } {
    const sentMs = this.client.nowMs()
    const asked = Array.from({ length: count }, async () => this.send(operation, token, sentMs))
    const all = Promise.all(asked).then((answers) => answers.filter((one) => one !== null))
    const isRefused = new Promise<boolean>((resolve) => {
      for (const one of asked) {
        void one.then((answer) => answer?.answer === 'refused' && resolve(true))
      }
      void all.then(() => resolve(false))
    })
    return { sentMs, isRefused, all }
  }

  /** Resolves when every answer to it has come. */
  async perform(operation: LimitedOperation, { startMs, sends, until }: Experiment): Promise<void> {
    const answers: Observed[] = []
    const pending: Promise<void>[] = []
    for (const { afterMs, count } of sends) {
      await this.client.sleepUntil(startMs + afterMs, this.signal)
      if (this.signal.aborted) break
      if (until !== null && answers.some(({ answer }) => answer === until)) break
      const burstMs = this.client.nowMs()
      for (let i = 0; i < count; i++) {
        const sent = this.send(operation, 0, burstMs)
        pending.push(sent.then((answer) => void (answer !== null && answers.push(answer))))
      }
    }
    await Promise.all(pending)
  }

  #count(operation: LimitedOperation): void {
    this.#requests++
    if (operation === 'kickoff') this.#kickoffs++
  }

  #take(probe: KeptProbe): void {
    const { operation, kickoffId } = probe
    this.#sent[operation].push(probe)
    if (kickoffId !== null) this.kickoffId ??= kickoffId
  }

  #request(operation: LimitedOperation, token: number): CrewRequest {
    const { correlation } = this.#options
    const index = this.#execution++ * this.client.tokens + token
    switch (operation) {
      case 'inputs':
        return { ...inputsRequest(correlation), execution: index }
      case 'kickoff':
        return kickoffRequest({ index, inputs: this.inputs, correlation })
      case 'status':
        return statusRequest({ index, kickoffId: this.kickoffId ?? 'unknown', correlation })
      default:
        return unreachable(operation)
    }
  }

  #observe(operation: LimitedOperation, answer: Answer, token: number): Observed {
    const { releasedMicros, sentMicros, doneMicros } = answer.timing
    const code = answer.kind === 'answer' ? answer.status : null
    const asksToWait = answer.kind === 'answer' && (askedWaitMicros(answer.headers) ?? 0) > 0
    // Another token may be of somebody who may do less.
    const wasAccepted = this.#sent[operation].some(
      (each) => each.token === token && each.answer === 'accepted',
    )
    return {
      sentMs: (sentMicros ?? releasedMicros) / MICROS_PER_MS,
      receivedMs: doneMicros / MICROS_PER_MS,
      answer: classOf({ code, asksToWait, wasAccepted }),
      status: answer.status,
      headers:
        answer.kind === 'answer'
          ? datedHeaders(answer.headers, this.client.anchorUnixMs + doneMicros / MICROS_PER_MS)
          : {},
    }
  }
}
