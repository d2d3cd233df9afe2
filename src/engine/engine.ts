/**
 * The engine: runs the executions of a plan on a host, from the first arrival to the last line of
 * the journal.
 */
import type { EndReason, StopReason } from '../execution/record/reason.schema.ts'
import type { Answer } from '../crew/answer.ts'
import { missingInputsIn } from '../crew/inputs/refused.ts'
import type { IncidentLine, FinishedLine, PushLine } from '../execution/record/journal-lines.ts'
import type { DueArrival, Execution, SharedState, Unsent } from '../execution/machine.ts'
import { createShared, notReached, TURNED_AWAY, unsentRecord } from '../execution/machine.ts'
import type { RunNote } from '../execution/record/notes.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'
import { createRandom } from '../base/random.ts'
import { lastArrivalMicros } from '../scenario/arrivals/index.ts'
import { budgetEnds } from '../scenario/time-budget.ts'
import type { BudgetEnds } from '../scenario/time-budget.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Micros } from '../base/units.ts'
import { AdmissionGate } from './admission.ts'
import { arrivalsOf, FirstAlone } from './arrivals.ts'
import { Confirmations } from './confirmations.ts'
import { Counters, RunningExecutions } from './running-executions.ts'
import type { Host } from './host.ts'
import type { RunningEngine, EngineOptions, EngineStats, ArrivalSource } from './interface.ts'
import { Liveness } from './liveness.ts'
import { SpendingGate } from './spending-gate.ts'
import type { BudgetKind } from './sending-budget.ts'
import { withShareOfRetries } from './interface.ts'
import { codeOf } from '../scenario/circuit.ts'

export type { RunningEngine, EngineOptions, EngineStats } from './interface.ts'

/**
 * All lines except the `run` line are written here. A misbehaving target is data; an exception
 * thrown in a wake or an answer is a bug.
 */
export function createEngine(plan: Plan, host: Host, options: EngineOptions): RunningEngine {
  return new HostedEngine(plan, host, options)
}

const STOPPED: StopReason = { code: 'asked', why: 'stopped' }
/**
 * The most unsent arrivals that one wake records after admission has stopped: polls that are due
 * meanwhile must not wait for a million lines.
 */
const LEFT_AT_ONCE = 1_000

/** The interface, section 7: required inputs are missing. */
const REFUSED_INPUTS = 422

class HostedEngine implements RunningEngine {
  readonly #plan: Plan
  readonly #host: Host
  readonly #options: EngineOptions
  readonly #shared: SharedState
  readonly #arrivals: ArrivalSource
  /** The same arrivals, while it is not certain that the crew accepts their inputs. */
  readonly #first: FirstAlone | null
  readonly #admission: AdmissionGate
  readonly #counters = new Counters()
  readonly #spending: SpendingGate
  readonly #running: RunningExecutions
  readonly #liveness: Liveness
  readonly #confirmations: Confirmations
  readonly #lastArrivalMicros: Micros
  readonly #ends: BudgetEnds
  /**
   * Created by the constructor: k6 2.2 panics on a field whose initialiser is an arrow function
   * with `this`.
   */
  readonly #wake: () => void
  #phase: 'running' | 'probing' | 'confirming' | 'finished' = 'running'
  /** Why no more kickoffs are sent; null while they are. */
  #closed: EndReason | null
  readonly #spent = new Set<BudgetKind | 'cost' | 'time'>()
  #stopping: { how: 'drain' | 'now'; reason: StopReason } | null = null
  #stopped: FinishedLine['stopped'] = null
  /**
   * When remaining work is cut off: at the end of the budget's time, of a drain, or of the last
   * confirmations.
   */
  #patienceMicros: Micros
  #armedMicros: Micros = Infinity

  constructor(plan: Plan, host: Host, options: EngineOptions) {
    this.#plan = plan
    this.#host = host
    this.#options = options
    const unixMs = (): number => host.unixMs()
    this.#shared = createShared(withShareOfRetries(plan, options), options.runId, unixMs)
    const arrivals = options.arrivals ?? arrivalsOf(plan, createRandom(plan.seed), options)
    const kind = plan.arrivals.kind === 'closed' ? 'closed' : 'open'
    this.#first =
      (options.missingInputs?.names ?? []).length === 0 ? null : new FirstAlone(arrivals, kind)
    this.#arrivals = this.#first ?? arrivals
    this.#admission = new AdmissionGate(plan, options)
    const write = (incident: IncidentLine['incident']): void => this.#emitIncident(null, incident)
    this.#spending = new SpendingGate(plan, host, write)
    const means = { host, counters: this.#counters, spending: this.#spending }
    this.#liveness = new Liveness(plan, {
      ...means,
      runId: options.runId,
      onPause: () => this.#settle(),
    })
    const heard = (answer: Answer): void => this.#heard(answer)
    this.#running = new RunningExecutions(this.#shared, means, {
      closedBecause: () => this.#closedBecause(this.#host.now()),
      targetLost: (loss) => {
        this.#closed ??= { code: 'target-lost', state: loss.state }
        write({ kind: 'target-lost', loss })
      },
      budgetSpent: (kind) => this.#budgetSpent(kind),
      heard,
      accepted: (index, kickoffId) => this.#liveness.accepted(index, kickoffId),
      answered: () => this.#settle(),
      ended: (execution, record) => this.#ended(execution, record),
    })
    this.#confirmations = new Confirmations(plan, means, {
      heard,
      asked: (index, answer) => this.#confirmed(index, answer),
      violated: (index, violation) => this.#emitIncident(index, { kind: 'violation', violation }),
    })
    this.#closed = options.remainder === undefined ? null : { code: 'cut', when: 'unsent' }
    this.#lastArrivalMicros = lastArrivalMicros(plan.arrivals)
    this.#ends = budgetEnds(plan)
    this.#patienceMicros = this.#ends.allMicros
    const { loss } = this.#shared.circuit
    if (loss !== null) this.#closed = { code: 'target-lost', state: loss.state }
    this.#wake = () => this.#woken()
  }

  start(): void {
    this.#spending.open()
    const { missingInputs, instance } = this.#options
    if (missingInputs !== undefined && this.#first !== null && instance === 0) {
      const { names, more } = missingInputs
      this.#emitIncident(null, { kind: 'inputs-missing', names: [...names], more })
    }
    const { remainder } = this.#options
    for (const left of remainder?.left ?? []) {
      this.#counters.arrivals++
      this.#admission.readmit()
      this.#running.pickUp(left, remainder!)
    }
    this.#woken()
  }

  stop(how: 'drain' | 'now', reason: StopReason = STOPPED): void {
    const before = this.#stopping?.how
    if (this.#phase === 'finished' || before === 'now' || before === how) return
    const now = this.#host.now()
    this.#stopping = { how, reason }
    this.#closed ??= { code: 'stopped', when: 'unsent', stop: reason }
    if (this.#phase === 'running') this.#stopped = how === 'drain' ? 'drained' : 'now'
    const drains = how === 'drain' && this.#phase === 'running'
    const latest = now + (drains ? this.#plan.drainMicros : 0)
    this.#patienceMicros = Math.min(this.#patienceMicros, latest)
    this.#arm(now)
  }

  pushed(line: PushLine): void {
    this.#spending.pushed(line)
  }

  stats(): EngineStats {
    return {
      arrived: this.#counters.arrivals,
      started: this.#counters.started,
      inFlight: this.#counters.inFlight,
      queued: this.#admission.waiting,
      outcomes: { ...this.#counters.outcomes },
      polls: this.#counters.polls,
      nextDueMicros: this.#arrivals.nextDueMicros,
      lastArrivalMicros: this.#lastArrivalMicros,
      stopping: this.#stopping?.how ?? null,
    }
  }

  #woken(): void {
    this.#armedMicros = Infinity
    const now = this.#host.now()
    this.#spending.tick(now)
    if (now >= this.#patienceMicros) this.#losePatience(now)
    if (this.#hasUnsent()) this.#closedBecause(now)
    this.#releaseDue(now)
    this.#liveness.wake(now)
    if (this.#closed !== null) {
      this.#first?.release(now)
      this.#leaveRest(this.#closed)
    }
    this.#settle()
  }

  /**
   * Processes all that is due by `now`, in order; what becomes due meanwhile is left to the next
   * wake, so that answers get their turn.
   */
  #releaseDue(now: Micros): void {
    for (;;) {
      const arrivalMicros = this.#closed === null ? this.#arrivals.nextDueMicros : Infinity
      const wakeMicros = this.#running.nextDueMicros
      if (Math.min(arrivalMicros, wakeMicros) > now) return
      if (arrivalMicros <= wakeMicros) this.#arrive(this.#takeArrival())
      else this.#running.wakeNext()
    }
  }

  #takeArrival(): DueArrival {
    this.#counters.arrivals++
    return this.#arrivals.take()
  }

  #arrive(arrival: DueArrival): void {
    const answer = this.#admission.offer(arrival)
    if (answer === 'admitted') this.#running.begin(arrival, arrival.intendedMicros)
    if (answer === 'full') this.#leaveUnsent(arrival, TURNED_AWAY)
  }

  /** Runs after every event: admits waiting arrivals, ends what is over, and sets the next wake. */
  #settle(): void {
    this.#admitWaiting()
    if (this.#phase === 'running' && this.#running.size === 0 && !this.#hasUnsent()) {
      this.#probe()
    }
    if (this.#phase !== 'finished') this.#arm(this.#nextDueMicros())
  }

  #admitWaiting(): void {
    while (this.#closed === null) {
      const arrival = this.#admission.next()
      if (arrival === undefined) return
      this.#running.begin(arrival, this.#host.now())
    }
  }

  #nextDueMicros(): Micros {
    const { nextMicros } = this.#spending
    const others = Math.min(
      this.#running.nextDueMicros,
      this.#liveness.nextDueMicros,
      this.#patienceMicros,
      nextMicros,
    )
    if (!this.#hasUnsent()) return others
    if (this.#closed !== null) return this.#host.now()
    return Math.min(this.#arrivals.nextDueMicros, this.#ends.kickoffsMicros, others)
  }

  #closedBecause(now: Micros): EndReason | null {
    if (this.#closed === null && now >= this.#ends.kickoffsMicros) this.#budgetSpent('time')
    return this.#closed
  }

  #hasUnsent(): boolean {
    return this.#admission.waiting > 0 || this.#arrivals.nextDueMicros < Infinity
  }

  #arm(dueMicros: Micros): void {
    if (dueMicros === this.#armedMicros) return
    this.#armedMicros = dueMicros
    this.#host.wakeAt(dueMicros, this.#wake)
  }

  #heard(answer: Answer): void {
    this.#liveness.heard(answer)
    if (this.#first?.isWaiting !== true) return
    this.#first.release(this.#host.now())
    if (answer.status !== REFUSED_INPUTS) return
    const names = [...missingInputsIn(answer)]
    this.#emitIncident(null, { kind: 'inputs-refused', names })
    this.stop('now', { code: 'inputs-refused' })
  }

  #ended(execution: Execution, record: ExecutionRecord): void {
    this.#admission.leave()
    this.#emitEnded(record)
    if (this.#shared.retryBudget.takeRefusal()) {
      this.#emitNote({ code: 'budget-spent', budget: 'retry', isPart: false })
    }
    if (this.#closed === null) this.#arrivals.ended(record)
    this.#confirmations.consider(execution)
  }

  #leaveUnsent(arrival: DueArrival, why: Unsent): void {
    const now = this.#host.now()
    const record = unsentRecord(arrival, why, now)
    this.#counters.ended(record, false, now)
    this.#emitEnded(record)
  }

  /**
   * Records the waiting arrivals, then those not yet due, as unsent: they are arrivals of the plan,
   * and the outcomes must sum to their number.
   */
  #leaveRest(reason: EndReason): void {
    for (let i = 0; i < LEFT_AT_ONCE && this.#hasUnsent(); i++) {
      const arrival = this.#admission.turnAway() ?? this.#takeArrival()
      this.#leaveUnsent(arrival, notReached(reason))
    }
  }

  /**
   * Ends the arrivals. Executions in flight continue to receive outstanding answers, and end at the
   * first request that is refused.
   */
  #budgetSpent(kind: BudgetKind | 'cost' | 'time'): EndReason {
    const isPart = this.#options.budgetIsPart === true && kind !== 'time'
    const reason = { code: 'budget-spent', budget: kind, isPart } as const
    if (!this.#spent.has(kind)) this.#emitNote(reason)
    this.#spent.add(kind)
    this.#closed ??= reason
    return reason
  }

  #losePatience(now: Micros): void {
    this.#patienceMicros = now < this.#ends.allMicros ? this.#ends.allMicros : Infinity
    this.#confirmations.giveUp()
    if (!this.#mayProbe(now)) this.#liveness.giveUp()
    if (this.#running.size === 0) return
    if (this.#stopping !== null) this.#stopped = 'now'
    this.#running.stopAll(this.#whyNoLonger(now))
  }

  /** Cuts off remaining work after a stop, or when the time of the budget is over. */
  #whyNoLonger(now: Micros): EndReason {
    if (this.#stopping === null || now >= this.#ends.allMicros) return this.#budgetSpent('time')
    const { how, reason } = this.#stopping
    return { code: 'stopped', when: how === 'now' ? 'now' : 'drained', stop: reason }
  }

  /**
   * Checks whether the target still answers after everything has ended, unless the run was stopped
   * immediately.
   */
  #probe(): void {
    this.#phase = 'probing'
    if (!this.#mayProbe(this.#host.now())) return this.#confirmAgain()
    this.#liveness.settle(this.#shared.circuit.loss !== null, (found) => {
      if (found !== null) this.#emitIncident(null, found)
      this.#confirmAgain()
    })
  }

  #mayProbe(now: Micros): boolean {
    return this.#stopping?.how !== 'now' && now < this.#ends.allMicros
  }

  /** Polls once more; all second confirmations together get the time of one request. */
  #confirmAgain(): void {
    this.#phase = 'confirming'
    const latest = this.#host.now() + this.#plan.http.requestTimeoutMicros
    this.#patienceMicros = Math.min(this.#patienceMicros, latest)
    this.#confirmations.recheck(() => this.#finish())
  }

  #finish(): void {
    this.#phase = 'finished'
    this.#arm(Infinity)
    this.#host.emit({
      type: 'finished',
      instance: this.#options.instance,
      atMicros: this.#host.now(),
      stopped: this.#stopped,
      stopReason: this.#stopped === null ? null : (this.#stopping?.reason ?? null),
      engine: this.#counters.snapshot(this.#confirmations.asked),
      host: this.#host.vitals(),
    })
    this.#options.onDone(this.#stopped)
  }

  #emitEnded(record: ExecutionRecord): void {
    this.#host.emit({ type: 'ended', record })
    this.#options.onEnded?.(record)
  }

  /**
   * The wait of a request that was sent is noted, because a limit of the target counts that request
   * too.
   */
  #confirmed(index: number, answer: Answer): void {
    const { sentMicros, doneMicros } = answer.timing
    if (sentMicros === null) return
    const serviceMicros = doneMicros - sentMicros
    const incident = { kind: 'confirmation', serviceMicros, answer: codeOf(answer) } as const
    this.#emitIncident(index, incident, doneMicros)
  }

  #emitNote(note: RunNote): void {
    this.#emitIncident(null, { kind: 'note', note })
  }

  #emitIncident(
    index: number | null,
    incident: IncidentLine['incident'],
    atMicros: Micros = this.#host.now(),
  ): void {
    const { instance } = this.#options
    this.#host.emit({ type: 'incident', instance, atMicros, index, incident })
  }
}
