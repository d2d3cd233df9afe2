/**
 * Whether the target still answers at the end: the last answer says so, or a few requests find out.
 */
import type { Answer } from '../crew/answer.ts'
import type { CrewRequest } from '../crew/crew-request.ts'
import { statusRequest } from '../crew/crew-request.ts'
import type { TargetProbed } from '../execution/record/journal-lines.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Usability } from '../scenario/circuit.ts'
import { codeOf, usabilityOf } from '../scenario/circuit.ts'
import type { Micros } from '../base/units.ts'
import { MICROS_PER_SECOND } from '../base/units.ts'
import type { Cancel, Host } from './host.ts'
import type { SpendingGate } from './spending-gate.ts'

const PROBES_MAX = 3
/**
 * The pause between an answer and the next probe. It is real time even in a time-lapse, like all
 * time-outs: a connection recovers no faster.
 */
const PAUSE_MICROS = MICROS_PER_SECOND
const LONGEST_PROBE_MICROS = 5 * MICROS_PER_SECOND

interface LivenessMeans {
  host: Host
  spending: SpendingGate
  runId: string
  /** `nextDueMicros` has changed. */
  onPause: () => void
}

/** An id that no execution has: a server that serves executions says so, and starts none. */
const NOBODY = '00000000-0000-4000-8000-000000000000'

/**
 * Observes every answer to kickoffs, polls and confirmations. If the last of them was unusable, or
 * none ever came, `settle` sends up to three `GET /status/{id}` until one is usable; they appear in
 * no record. (`GET /inputs` may be answered by a proxy that outlives the crew, and `POST /kickoff`
 * costs money.) They count against a budget of requests: if nothing is left for the first one, the
 * state of the target is unknown and not reported.
 */
export class Liveness {
  readonly #plan: Plan
  readonly #means: LivenessMeans
  /** The last two accepted executions, the latest first. */
  #known: { index: number; kickoffId: string }[] = []
  #wasAsked = false
  /** The usability of the last answer that counts; `nothing` before the first. */
  #last: Usability = 'nothing'
  #lastCode: TargetProbed['last'] | null = null
  #probes = 0
  #nextMicros: Micros = Infinity
  #cancel: Cancel | null = null
  #tell: ((found: TargetProbed | null) => void) | null = null

  constructor(plan: Plan, means: LivenessMeans) {
    this.#plan = plan
    this.#means = means
  }

  /** When the next probe is to be sent; Infinity for none. */
  get nextDueMicros(): Micros {
    return this.#nextMicros
  }

  heard(answer: Answer): void {
    this.#wasAsked = true
    const usability = usabilityOf(answer)
    if (usability === 'nothing') return
    this.#last = usability
    this.#lastCode = codeOf(answer)
  }

  /** Remembers an execution that the target has accepted. */
  accepted(index: number, kickoffId: string): void {
    this.#known = [{ index, kickoffId }, ...this.#known.slice(0, 1)]
  }

  /**
   * `isDoubted`: the target was already considered lost, whatever came last. `tell` is called once,
   * immediately or after the last probe; with null if no request was ever sent, none could be paid
   * for, or `giveUp` was called.
   */
  settle(isDoubted: boolean, tell: (found: TargetProbed | null) => void): void {
    this.#tell = tell
    if (!this.#wasAsked) this.#done(null)
    else if (this.#last === 'good' && !isDoubted) this.#done(this.#found)
    else this.#probe()
  }

  /** Call it when the time of `nextDueMicros` has come; earlier calls do nothing. */
  wake(nowMicros: Micros): void {
    if (nowMicros < this.#nextMicros) return
    this.#nextMicros = Infinity
    this.#probe()
  }

  /** Sends no more probes and reports nothing. */
  giveUp(): void {
    this.#nextMicros = Infinity
    this.#cancel?.()
    this.#done(null)
  }

  get #found(): TargetProbed | null {
    if (this.#lastCode === null) return null
    const usable = this.#last === 'good'
    return { kind: 'target-probed', usable, probes: this.#probes, last: this.#lastCode }
  }

  #probe(): void {
    const { host, spending } = this.#means
    if (!spending.spend('request')) return this.#done(this.#probes === 0 ? null : this.#found)
    const request = this.#request(this.#probes++)
    const { requestTimeoutMicros, maxBodyBytes: maxBytes } = this.#plan.http
    const timeoutMicros = Math.min(requestTimeoutMicros, LONGEST_PROBE_MICROS)
    this.#cancel = host.send(request, { timeoutMicros, maxBytes }, (answer) =>
      this.#answered(answer),
    )
  }

  /**
   * A different id each time: a problem with one execution does not mean a dead target. Tokens
   * rotate by the index, so neither does one revoked token among several.
   */
  #request(number: number): CrewRequest {
    const { index, kickoffId } = this.#known[number] ?? { index: number, kickoffId: NOBODY }
    const correlation = `${this.#means.runId}/probe`
    return statusRequest({ index, kickoffId, correlation, paths: this.#plan.paths })
  }

  #answered(answer: Answer): void {
    this.#cancel = null
    if (this.#tell === null) return
    this.#last = usabilityOf(answer)
    this.#lastCode = codeOf(answer)
    if (this.#last === 'good' || this.#probes >= PROBES_MAX) return this.#done(this.#found)
    this.#nextMicros = this.#means.host.now() + PAUSE_MICROS
    this.#means.onPause()
  }

  #done(found: TargetProbed | null): void {
    const tell = this.#tell
    this.#tell = null
    tell?.(found)
  }
}
