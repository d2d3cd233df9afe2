/**
 * A small host in virtual time: deterministic, without waiting, with everything it saw kept for the
 * tests to look at.
 */
import type { Answer, FailureClass } from '../../src/crew/answer.ts'
import type { CrewRequest } from '../../src/crew/crew-request.ts'
import { SendingBudget } from '../../src/engine/sending-budget.ts'
import type { Cancel, Host, SendLimits } from '../../src/engine/host.ts'
import type {
  IncidentLine,
  HostVitals,
  JournalLine,
} from '../../src/execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../src/execution/record/record.ts'
import { DueHeap } from '../../src/base/collections/heap.ts'
import type { Micros } from '../../src/base/units.ts'

/** What a simulated target makes of a request; `afterMicros` from its sending to the last byte. */
export type SimulatedReply =
  | { kind: 'reply'; afterMicros: Micros; status: number; body: string; headers?: Headers }
  | { kind: 'failure'; afterMicros: Micros; class: FailureClass; written: boolean }
  | { kind: 'silence' }
type Headers = Readonly<Record<string, string>>

export type SimulatedTarget = (request: CrewRequest, nowMicros: Micros) => SimulatedReply

export interface SimulatedHostOptions {
  kickoffs?: number
  requests?: number
  /** Keeps no lines: for measuring. */
  forgetful?: boolean
  /** False: what it is given waits for a socket. Default true. */
  hasSockets?: boolean
}

export class SimulatedHost implements Host {
  readonly budget: SendingBudget
  readonly lines: JournalLine[] = []
  readonly requests: { atMicros: Micros; request: CrewRequest }[] = []
  sent = 0
  cancelled = 0
  readonly #target: SimulatedTarget
  readonly #events = new DueHeap<() => void>()
  readonly #forgetful: boolean
  readonly #hasSockets: boolean
  #now: Micros = 0
  #wakes = 0

  constructor(target: SimulatedTarget, options: SimulatedHostOptions = {}) {
    this.#target = target
    const { kickoffs = null, requests = null } = options
    this.budget = new SendingBudget({ kickoffs, requests })
    this.#forgetful = options.forgetful ?? false
    this.#hasSockets = options.hasSockets ?? true
  }

  now(): Micros {
    return this.#now
  }

  unixMs(): number {
    return this.#now / 1_000
  }

  wakeAt(due: Micros, wake: () => void): void {
    const number = ++this.#wakes
    if (due === Infinity) return
    this.at(due, () => {
      if (number === this.#wakes) wake()
    })
  }

  send(request: CrewRequest, limits: SendLimits, done: (answer: Answer) => void): Cancel {
    this.sent++
    if (!this.#forgetful) this.requests.push({ atMicros: this.#now, request })
    const releasedMicros = this.#now
    let open = true
    const finish = (answer: (doneMicros: Micros) => Answer): void => {
      if (!open) return
      open = false
      done(answer(this.#now))
    }
    const reply = this.#target(request, this.#now)
    const after = reply.kind === 'silence' ? Infinity : reply.afterMicros
    if (after < limits.timeoutMicros && reply.kind !== 'silence') {
      this.at(this.#now + after, () => finish((at) => answerOf(reply, releasedMicros, at)))
    } else {
      this.at(this.#now + limits.timeoutMicros, () =>
        finish((at) => failure('timeout', true, releasedMicros, at)),
      )
    }
    return () => {
      this.cancelled++
      const isSent = this.#hasSockets
      this.at(this.#now, () => finish((at) => failure('cancelled', isSent, releasedMicros, at)))
      return isSent
    }
  }

  emit(line: JournalLine): void {
    if (!this.#forgetful) this.lines.push(line)
  }

  vitals(): HostVitals {
    return {
      utilisationSustained: null,
      utilisationMean: null,
      connectionsOpened: null,
      clockSteps: 0,
      journalErrors: 0,
      peakMemoryBytes: null,
    }
  }

  /**
   * Lets something happen at a point of virtual time: never before the present, never inside the
   * caller.
   */
  at(due: Micros, happen: () => void): void {
    this.#events.push(Math.max(due, this.#now), happen)
  }

  /** Goes on until nothing is left to happen. A run that makes more events than `limit` hangs. */
  run(limit = 5_000_000): void {
    for (let i = 0; this.#events.size > 0; i++) {
      if (i >= limit) throw new Error(`still busy after ${limit} events`)
      this.#now = this.#events.nextDue
      this.#events.pop()!()
    }
  }

  get records(): ExecutionRecord[] {
    return this.linesOf('ended').map((line) => line.record)
  }

  /**
   * Requests of executions: those that ask at the end whether the target is still there are left
   * out.
   */
  get ofExecutions(): { atMicros: Micros; request: CrewRequest }[] {
    return this.requests.filter(({ request }) => !request.correlation.endsWith('/probe'))
  }

  /** Without what every run finds of the target at its end. */
  get incidents(): IncidentLine[] {
    return this.linesOf('incident').filter(({ incident }) => incident.kind !== 'target-probed')
  }

  linesOf<T extends JournalLine['type']>(type: T): Extract<JournalLine, { type: T }>[] {
    return this.lines.filter(
      (line): line is Extract<JournalLine, { type: T }> => line.type === type,
    )
  }
}

function answerOf(
  reply: Exclude<SimulatedReply, { kind: 'silence' }>,
  releasedMicros: Micros,
  doneMicros: Micros,
): Answer {
  if (reply.kind === 'failure') {
    return failure(reply.class, reply.written, releasedMicros, doneMicros)
  }
  return {
    kind: 'answer',
    status: reply.status,
    headers: { 'content-type': 'application/json', ...reply.headers },
    body: reply.body,
    timing: { releasedMicros, sentMicros: releasedMicros, doneMicros, newConnection: false },
  }
}

function failure(
  name: FailureClass,
  written: boolean,
  releasedMicros: Micros,
  doneMicros: Micros,
): Answer {
  const sentMicros = written ? releasedMicros : null
  return {
    kind: 'failure',
    class: name,
    detail: name,
    written,
    status: null,
    timing: { releasedMicros, sentMicros, doneMicros, newConnection: false },
  }
}
