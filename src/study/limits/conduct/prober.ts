/**
 * Sends single requests within the budget, and keeps what became of them: in the folder too, so
 * that a study which was cut goes on with what it knew.
 */
import { unreachable } from '../../../base/assert.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { Answer } from '../../../crew/answer.ts'
import type { CrewRequest } from '../../../crew/crew-request.ts'
import { excerpt } from '../../../crew/excerpt.ts'
import { readKickoff } from '../../../crew/read.ts'
import { askedWaitMicros, datedHeaders } from '../../../crew/retry-after.ts'
import { inputsRequest, kickoffRequest, statusRequest } from '../../../crew/crew-request.ts'
import { leastOf } from '../../../engine/sending-budget.ts'
import type { Ways } from '../../../run/target/ways.ts'
import { classOf, laterBy } from '../analyse/infer/interface.ts'
import type { LimitedOperation } from '../document.ts'
import type { Experiment, LimiterAnswer } from '../analyse/infer/interface.ts'
import type { Client } from './client.ts'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readLines } from '../../../journal/file/lines.ts'
import { LIMITED_OPERATIONS } from '../../frame/limiter-kinds.ts'

const BODY_SHOWN = 200
/** What is in flight when the study ends is waited for so long. */
const GRACE_MS = 2_000

export interface ProberOptions {
  client: Client
  inputs: Readonly<Record<string, unknown>>
  ways: Ways
  correlation: string
  signal: AbortSignal
  /** On the client's clock, when the time of the study is over. */
  endMs: number
  /** What an earlier process of the same study has sent. */
  known: readonly KeptProbe[]
  keep: (probe: KeptProbe) => void
}

/** As whom, and about what, a request asks. */
export interface Asking {
  /** Counts from 0. */
  token?: number
  /** About another execution than all others do. */
  isOfAnother?: boolean
  /** Shared by all that are sent together. */
  burstMs?: number
  /** The answer is waited for so long at most. */
  mostMs?: number
}

/** No execution has this id: that it is unknown is an answer, which a limit lets in or refuses. */
const ANOTHER = '00000000-0000-4000-8000-000000000000'

export class Prober {
  readonly client: Client
  readonly ways: Ways
  readonly signal: AbortSignal
  readonly endMs: number
  readonly #options: ProberOptions
  readonly #sent: Record<LimitedOperation, KeptProbe[]> = { status: [], inputs: [], kickoff: [] }
  readonly #bodies = new Map<LimitedOperation, string>()
  readonly #unanswered: Promise<null>
  #execution = 0
  kickoffId: string | null = null
  inputs: Readonly<Record<string, unknown>>

  constructor(options: ProberOptions) {
    this.client = options.client
    this.ways = options.ways
    this.signal = options.signal
    this.endMs = options.endMs
    this.#options = options
    this.#unanswered = this.#givenUp()
    this.inputs = options.inputs
    // Requests that a target no longer answered, which was lost then, say nothing of it.
    const answered = options.known.findLastIndex(({ status }) => status !== null)
    for (const [i, probe] of options.known.entries()) {
      this.#count(probe.operation)
      if (i <= answered) this.#take(probe)
    }
  }

  /**
   * What was sent with the first token about the one execution: others may have a limit of their
   * own, and their requests say nothing about this one.
   */
  evidence(operation: LimitedOperation): readonly LimiterAnswer[] {
    return this.#sent[operation].filter(({ token, isOfAnother }) => token === 0 && !isOfAnother)
  }

  /** What was sent with any token, about any execution. */
  sent(operation: LimitedOperation): readonly LimiterAnswer[] {
    return this.#sent[operation]
  }

  /** The body of the first refusal; null where none had one. */
  bodyOf(operation: LimitedOperation): string | null {
    return this.#bodies.get(operation) ?? null
  }

  /** Requests that the operation may still have. */
  left(operation: LimitedOperation): number {
    const { requests, kickoffs } = this.client.budget.left
    return leastOf(requests, operation === 'kickoff' ? kickoffs : null) ?? Infinity
  }

  /** Null when the budget is spent, or the study has ended. */
  async send(operation: LimitedOperation, asking: Asking = {}): Promise<LimiterAnswer | null> {
    const answered = await this.ask(operation, asking)
    return answered?.observed ?? null
  }

  /** The same, with the answer itself. */
  async ask(
    operation: LimitedOperation,
    asking: Asking = {},
  ): Promise<{ answer: Answer; observed: LimiterAnswer } | null> {
    if (this.signal.aborted || this.left(operation) < 1) return null
    const { token = 0, isOfAnother = false, burstMs, mostMs } = asking
    this.#count(operation)
    const asked = this.client.ask(this.#request(operation, token, isOfAnother), mostMs)
    const answer = await Promise.race([asked, this.#unanswered])
    if (answer === null) return null
    const alone = this.#observe(operation, answer, token)
    const observed = burstMs === undefined ? alone : { ...alone, burstMs }
    const kickoffId = operation === 'kickoff' ? readKickoff(answer).kickoffId : null
    const probe = { ...observed, operation, token, isOfAnother, kickoffId }
    this.#take(probe)
    const isFirst = observed.answer === 'refused' && !this.#bodies.has(operation)
    if (isFirst && answer.kind === 'answer') {
      this.#bodies.set(operation, excerpt(answer.body, BODY_SHOWN))
    }
    this.#options.keep(probe)
    return { answer, observed }
  }

  /**
   * `count` requests at once: that one of them was refused is known before those are answered that
   * are held back. `sentMs`: when they were sent.
   */
  burst(
    operation: LimitedOperation,
    count: number,
    asking: Asking = {},
  ): { sentMs: number; isRefused: Promise<boolean>; all: Promise<LimiterAnswer[]> } {
    const sentMs = this.client.nowMs()
    const asked = Array.from({ length: count }, async () =>
      this.send(operation, { ...asking, burstMs: sentMs }),
    )
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
    const answers: LimiterAnswer[] = []
    const pending: Promise<void>[] = []
    for (const { afterMs, count } of sends) {
      await this.client.sleepUntil(startMs + afterMs, this.signal)
      if (this.signal.aborted) break
      if (until !== null && answers.some(({ answer }) => answer === until)) break
      const burstMs = this.client.nowMs()
      for (let i = 0; i < count; i++) {
        const sent = this.send(operation, { burstMs })
        pending.push(sent.then((answer) => void (answer !== null && answers.push(answer))))
      }
    }
    await Promise.all(pending)
  }

  /** Null soon after the study has ended: a target that does not answer must not keep it. */
  async #givenUp(): Promise<null> {
    const { client, signal } = this
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    await client.sleepUntil(client.nowMs() + GRACE_MS, new AbortController().signal)
    return null
  }

  #count(operation: LimitedOperation): void {
    this.client.budget.add({ requests: 1, kickoffs: operation === 'kickoff' ? 1 : 0 })
  }

  #take(probe: KeptProbe): void {
    const { operation, kickoffId } = probe
    this.#sent[operation].push(probe)
    if (kickoffId !== null) this.kickoffId ??= kickoffId
  }

  #request(operation: LimitedOperation, token: number, isOfAnother: boolean): CrewRequest {
    const { correlation } = this.#options
    const { paths, members } = this.ways
    const index = this.#execution++ * this.client.tokens + token
    switch (operation) {
      case 'inputs':
        return { ...inputsRequest(correlation, paths), execution: index }
      case 'kickoff':
        return kickoffRequest({ index, inputs: this.inputs, members, correlation, paths })
      case 'status':
        return statusRequest({
          index,
          kickoffId: this.#executionId(isOfAnother),
          correlation,
          paths,
        })
      default:
        return unreachable(operation)
    }
  }

  /** Another that was kicked off, where there is one. */
  #executionId(isOfAnother: boolean): string {
    const own = this.kickoffId ?? 'unknown'
    if (!isOfAnother) return own
    const others = this.#sent.kickoff.flatMap(({ kickoffId }) => kickoffId ?? [])
    return others.find((id) => id !== own) ?? ANOTHER
  }

  #observe(operation: LimitedOperation, answer: Answer, token: number): LimiterAnswer {
    const { releasedMicros, sentMicros, doneMicros } = answer.timing
    const receivedMs = doneMicros / MICROS_PER_MS
    const isWhole = answer.kind === 'answer'
    const headers = isWhole ? answer.headers : {}
    // Another token may be of somebody who may do less.
    const wasAccepted = this.#sent[operation].some(
      (each) => each.token === token && each.answer === 'accepted',
    )
    const code = isWhole ? answer.status : null
    const asksToWait = (askedWaitMicros(headers) ?? 0) > 0
    return {
      sentMs: (sentMicros ?? releasedMicros) / MICROS_PER_MS,
      receivedMs,
      answer: classOf({ code, asksToWait, wasAccepted }),
      status: answer.status,
      headers: isWhole ? datedHeaders(headers, this.client.anchorUnixMs + receivedMs) : {},
    }
  }
}

const EVIDENCE_FILE = 'probes.ndjson'

const line = z.object({
  operation: z.enum(LIMITED_OPERATIONS),
  /** With fractions; in the file, Unix time. */
  sentMs: z.number(),
  receivedMs: z.number(),
  /** Absent where a request was sent alone. */
  burstMs: z.number().exactOptional(),
  answer: z.enum(['accepted', 'refused', 'failed']),
  status: z.number().nullable(),
  headers: z.record(z.string(), z.string()),
  /** The id of a kickoff that was accepted. */
  kickoffId: z.string().nullable(),
  /** Which of the tokens it was sent with, from 0. */
  token: z.number().int().min(0),
  /** Whether it asked about another execution than all others. */
  isOfAnother: z.boolean(),
})

export type KeptProbe = z.infer<typeof line>

/**
 * Appends one line, synchronously: when it returns, a kill of the process cannot lose it.
 * `anchorUnixMs` is the wall clock of the zero of its times.
 */
export function keepProbe(folder: string, probe: KeptProbe, anchorUnixMs: number): void {
  const kept = JSON.stringify(laterBy(anchorUnixMs, probe))
  appendFileSync(join(folder, EVIDENCE_FILE), `${kept}\n`)
}

/**
 * Reads the probes of an earlier process, in milliseconds from `anchorUnixMs`; a last line that was
 * cut is skipped. Throws a UserError for any other line that cannot be read.
 */
export async function readProbes(folder: string, anchorUnixMs: number): Promise<KeptProbe[]> {
  const kept = await readLines(join(folder, EVIDENCE_FILE), line, {
    isAppended: true,
    remedy: 'start the study again in a new folder',
  })
  return (kept ?? []).map((probe) => laterBy(-anchorUnixMs, probe))
}
