/**
 * The executions in progress: passes the machine's actions to the host, and the host's answers to
 * the machine.
 */
import { unreachable } from '../base/assert.ts'
import type { Answer, Operation } from '../crew/answer.ts'
import type { Action, DueArrival, Execution, SharedState } from '../execution/machine.ts'
import type { LeftBehind } from '../execution/pick-up.ts'
import { advance, createExecution, kickoffColumns, takeRecord } from '../execution/machine.ts'
import type { EndReason } from '../execution/record/reason.schema.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'
import type { TargetLoss } from '../scenario/target-loss.ts'
import type { Micros } from '../base/units.ts'
import type { Cancel, Host } from './host.ts'
import type { Remainder } from './interface.ts'
import type { BudgetKind } from './sending-budget.ts'
import type { SpendingGate } from './spending-gate.ts'
import { Agenda } from '../base/collections/agenda.ts'
import type { Sleeper } from '../base/collections/agenda.ts'
import type { EngineCounters } from '../execution/record/journal-lines.ts'
import { noOutcomes } from '../execution/record/record.ts'

/**
 * The engine's own count of what it did: independent of the records, so that a lost record is
 * noticed.
 */
export class Counters {
  arrivals = 0
  started = 0
  polls = 0
  readonly outcomes = noOutcomes()
  #ended = 0
  #inFlight = 0
  #maxInFlight = 0
  #inFlightIntegralMicros = 0
  #changedMicros: Micros = 0

  /** Accepted and not yet ended. */
  get inFlight(): number {
    return this.#inFlight
  }

  accepted(atMicros: Micros): void {
    this.#integrate(atMicros)
    this.#inFlight++
    this.#maxInFlight = Math.max(this.#maxInFlight, this.#inFlight)
  }

  /** `wasInFlight`: it had been accepted. */
  ended(record: ExecutionRecord, wasInFlight: boolean, atMicros: Micros): void {
    this.#ended++
    this.outcomes[record.outcome]++
    if (!wasInFlight) return
    this.#integrate(atMicros)
    this.#inFlight--
  }

  snapshot(confirmations: number): EngineCounters {
    return {
      arrivals: this.arrivals,
      ended: this.#ended,
      inFlightIntegralMicros: this.#inFlightIntegralMicros,
      maxInFlight: this.#maxInFlight,
      confirmations,
    }
  }

  /** Adds the rectangle since the last change: number in flight times duration. */
  #integrate(atMicros: Micros): void {
    this.#inFlightIntegralMicros += this.#inFlight * (atMicros - this.#changedMicros)
    this.#changedMicros = atMicros
  }
}

/** The means that the executions share. */
interface ExecutionMeans {
  host: Host
  counters: Counters
  spending: SpendingGate
}

/** The engine's permissions and notifications. */
export interface RunningEvents {
  /** Why no kickoff may be sent any more, including retries; null while they may. */
  closedBecause(): EndReason | null
  /** The circuit opened. */
  targetLost(loss: TargetLoss): void
  /** The host refused to spend; the reason goes into the record. */
  budgetSpent(kind: BudgetKind | 'cost'): EndReason
  /** An answer came, possibly for an execution that has ended meanwhile. */
  heard(answer: Answer): void
  /** The target has this execution, or had it when a former process began it. */
  accepted(index: number, kickoffId: string): void
  /** An answer was processed, with all its consequences. */
  answered(): void
  ended(execution: Execution, record: ExecutionRecord): void
}

/** One of them, and what the engine holds for it; released at its end. */
interface Live extends Sleeper {
  readonly execution: Execution
  started: boolean
  accepted: boolean
  /** Cancels the outstanding request; null if there is none. */
  cancel: Cancel | null
}

export class RunningExecutions {
  readonly #shared: SharedState
  readonly #host: Host
  readonly #counters: Counters
  readonly #spending: SpendingGate
  readonly #events: RunningEvents
  readonly #live = new Set<Live>()
  readonly #agenda = new Agenda<Live>(this.#live)

  constructor(
    shared: SharedState,
    { host, counters, spending }: ExecutionMeans,
    events: RunningEvents,
  ) {
    this.#shared = shared
    this.#host = host
    this.#counters = counters
    this.#spending = spending
    this.#events = events
  }

  get size(): number {
    return this.#live.size
  }

  /** When the next of them is to be woken; Infinity for never. */
  get nextDueMicros(): Micros {
    return this.#agenda.nextDueMicros
  }

  /** `admittedMicros`: when the arrival was admitted, if that was later than intended. */
  begin(arrival: DueArrival, admittedMicros: Micros = arrival.intendedMicros): void {
    const live: Live = {
      execution: createExecution(this.#shared, arrival, admittedMicros),
      wakeMicros: Infinity,
      started: false,
      accepted: false,
      cancel: null,
    }
    this.#live.add(live)
    this.#due(live)
  }

  /** Continues an execution that a former process began. */
  pickUp(left: LeftBehind, { cutMicros, pickUp }: Pick<Remainder, 'cutMicros' | 'pickUp'>): void {
    const atMicros = this.#host.now()
    const accepted = left.accepted !== null
    const execution = createExecution(this.#shared, left.arrival)
    const live = { execution, wakeMicros: Infinity, started: true, accepted, cancel: null }
    this.#live.add(live)
    this.#counters.started++
    if (accepted) this.#counters.accepted(atMicros)
    if (left.accepted !== null) this.#events.accepted(left.arrival.index, left.accepted.kickoffId)
    this.#apply(live, pickUp(execution, left, { cutMicros, atMicros }), atMicros)
  }

  /** Wakes the execution that `nextDueMicros` referred to. */
  wakeNext(): void {
    const live = this.#agenda.pop()
    if (live !== undefined) this.#due(live)
  }

  /**
   * Ends them all and cancels their outstanding requests; later answers reach an ended execution,
   * which ignores them.
   */
  stopAll(reason: EndReason): void {
    for (const live of this.#live) {
      const isUnsent = live.cancel?.() === false
      live.cancel = null
      const atMicros = this.#host.now()
      const stop = { kind: 'stop', atMicros, reason, isUnsent } as const
      this.#apply(live, advance(live.execution, stop), atMicros)
    }
  }

  #due(live: Live): void {
    const atMicros = this.#host.now()
    this.#apply(live, advance(live.execution, { kind: 'due', atMicros }), atMicros)
  }

  #answered(live: Live, answer: Answer): void {
    live.cancel = null
    this.#events.heard(answer)
    if (live.execution.stage !== 'resuming') this.#watchTarget(live, answer)
    const atMicros = this.#host.now()
    this.#apply(live, advance(live.execution, { kind: 'answer', atMicros, answer }), atMicros)
    this.#events.answered()
  }

  /** Runs before the machine sees the answer: a kickoff is not retried on a target that is lost. */
  #watchTarget({ accepted }: Live, answer: Answer): void {
    const { circuit } = this.#shared
    if (!circuit.heard(accepted ? 'status' : 'kickoff', answer) || circuit.loss === null) return
    this.#events.targetLost(circuit.loss)
  }

  #apply(live: Live, actions: readonly Action[], atMicros: Micros): void {
    let refusal: EndReason | null = null
    // Indexed, because k6's engine creates an object for each step of a `for ... of`.
    for (let i = 0; i < actions.length; i++) {
      const action = actions[i]!
      switch (action.kind) {
        case 'wake':
          this.#agenda.wake(live, action.atMicros)
          break
        case 'send':
          refusal = this.#send(live, action, atMicros)
          break
        case 'accepted':
          this.#accepted(live, action.kickoffId, atMicros)
          break
        case 'end':
          this.#end(live, atMicros)
          break
        default:
          unreachable(action)
      }
    }
    if (refusal === null) return
    const refused = { kind: 'refused', atMicros, reason: refusal } as const
    this.#apply(live, advance(live.execution, refused), atMicros)
  }

  /** Returns the reason if it may not be sent. */
  #send(live: Live, action: Extract<Action, { kind: 'send' }>, atMicros: Micros): EndReason | null {
    const { request, timeoutMicros } = action
    const refusal = this.#refusal(request.operation)
    if (refusal !== null) return refusal
    if (request.operation === 'kickoff') this.#started(live, atMicros)
    else if (request.operation === 'status') this.#counters.polls++
    const maxBytes = this.#shared.plan.http.maxBodyBytes
    live.cancel = this.#host.send(request, { timeoutMicros, maxBytes }, (answer) =>
      this.#answered(live, answer),
    )
    return null
  }

  #refusal(operation: Operation): EndReason | null {
    if (operation === 'kickoff') {
      const closed = this.#events.closedBecause()
      if (closed !== null) return closed
      if (!this.#spending.hasRoom) return this.#events.budgetSpent('cost')
      if (!this.#spending.spend('kickoff')) return this.#events.budgetSpent('kickoff')
    }
    return this.#spending.spend('request') ? null : this.#events.budgetSpent('request')
  }

  /** The line is written before the kickoff is sent, and only for its first attempt. */
  #started(live: Live, atMicros: Micros): void {
    if (live.started) {
      this.#spending.repeated()
      return
    }
    live.started = true
    this.#counters.started++
    this.#spending.started()
    const { index, instance, intendedMicros } = live.execution.record
    this.#host.emit({ type: 'started', index, instance, intendedMicros, atMicros })
  }

  #accepted(live: Live, kickoffId: string, atMicros: Micros): void {
    live.accepted = true
    this.#counters.accepted(atMicros)
    const { index, instance } = live.execution.record
    const kickoff = kickoffColumns(live.execution)
    this.#host.emit({ type: 'accepted', index, instance, kickoffId, atMicros, kickoff })
    this.#events.accepted(index, kickoffId)
  }

  #end(live: Live, atMicros: Micros): void {
    const record = takeRecord(live.execution)
    this.#live.delete(live)
    if (live.started) this.#spending.ended(record)
    this.#counters.ended(record, live.accepted, atMicros)
    this.#events.ended(live.execution, record)
  }
}
