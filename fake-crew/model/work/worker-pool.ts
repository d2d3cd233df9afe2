/**
 * Where executions run: admits kickoffs to the workers and reports the state of each at any time.
 */
import { fingerprint } from '../../../src/base/fingerprint.ts'
import type { Random } from '../../../src/base/random.ts'
import { forks } from '../../../src/base/random.ts'
import type { Asked, LedgerRow } from '../../../src/crew/ledger.ts'
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import { DueHeap } from '../../../src/base/collections/heap.ts'
import type { CountedPhase } from './phase-counts.ts'
import { PhaseCounts } from './phase-counts.ts'
import { drawDemand, drawMicros, drawOutputBytes } from './demand.ts'
import type { Demand } from './demand.ts'
import { ExecutionView } from './execution-view.ts'
import type { ExecutionTexts } from './execution-view.ts'
import type { AskedSpan, RestartLoses } from './executions.ts'
import { Executions } from './executions.ts'
import type { KickoffIdCode } from './kickoff-id.ts'
import { createKickoffIds } from './kickoff-id.ts'
import { outputText } from './results/output.ts'
import type { WallProfile } from '../wall-profile.ts'
import { WaitingQueue } from './queue.ts'
import { Slots } from './slots.ts'
import type { Turn } from './shared/discipline.ts'
import type { Followers } from './shared/shared-work.ts'
import { SharedWork, sharesMore, sharingOf } from './shared/shared-work.ts'
import type { ExecutionScript } from '../scripts.ts'
import type { Stint } from './stint.ts'
import { stintOf } from './stint.ts'
import { UsageMeter } from './results/usage.ts'

/**
 * Executions forgotten per call: more than one request can add, so that the backlog shrinks without
 * delaying a request.
 */
const FORGOTTEN_AT_ONCE = 32

/** An execution without a worker: a person is asked about one of its tasks, or has answered. */
interface Waiting {
  ordinal: number
  demand: Demand
  task: number
  /** The task is done; else it begins again. */
  approved: boolean
}

interface AdmittedKickoff {
  body: string
  correlation: string | null
  turn: Turn | null
}

export class WorkerPool {
  readonly ids: KickoffIdCode
  readonly #profile: WallProfile
  readonly #random: Random
  readonly #ofExecution: (ordinal: number) => Random
  readonly #executions: Executions
  readonly #census = new PhaseCounts((ordinal, endedMicros) => this.#noteEnd(ordinal, endedMicros))
  /** Ended executions within their retention, by their end; empty if retention never ends. */
  readonly #retained = new WaitingQueue<{ ordinal: number; goneMicros: Micros }>()
  readonly #forgotten: (ordinal: number) => void
  readonly #changed: (ordinal: number) => void
  /** How often an execution changed at a time that nobody knew ahead. */
  unforeseenChanges = 0
  /** By ordinal; one that shares more than workers is not among them. */
  readonly #waiting = new Map<number, Waiting>()
  /** When people answer; an entry that is no longer in `#waiting` was answered before. */
  readonly #answers = new DueHeap<Waiting>()
  #workers: Slots
  /** Null where executions share nothing but workers: the course of each is then known ahead. */
  readonly #shared: SharedWork | null
  #coldStart: CrewColdStart
  /** Counts how often requests have woken the crew. */
  #wakes = 0
  /** Of executions that have one, until they are forgotten. */
  readonly #scripts = new Map<number, ExecutionScript>()
  readonly #meter: UsageMeter
  readonly #texts: ExecutionTexts = {
    output: (ordinal, task) =>
      this.#scripts.get(ordinal)?.outputs[task] ??
      outputText({
        ordinal,
        taskId: this.#profile.tasks[task]!.id,
        inputs: this.#executions.inputs(ordinal),
        bytes: drawOutputBytes(this.#profile, task, this.#ofExecution(ordinal)),
      }),
    failure: (ordinal, task) => {
      const { tasks } = this.#scripts.get(ordinal)?.work ?? this.#profile
      return tasks[task]!.failure.message
    },
    usage: (ordinal, reach) => {
      const { usage } = this.#scripts.get(ordinal) ?? {}
      if (usage === undefined) return this.#meter.reported(ordinal, reach)
      return reach.phase === 'completed' ? usage : undefined
    },
  }

  /**
   * `idSeed`: as in a crew. `forgotten` is called with each execution that can never be asked for
   * again; `changed` with one that changed at a time that nobody knew ahead.
   */
  constructor(
    profile: WallProfile,
    random: Random,
    idSeed: number,
    forgotten: (ordinal: number) => void,
    changed: (ordinal: number) => void,
  ) {
    this.#changed = (ordinal) => {
      this.unforeseenChanges++
      changed(ordinal)
    }
    this.#forgotten = forgotten
    this.ids = createKickoffIds(random.fork('kickoff id', idSeed))
    this.#profile = profile
    this.#random = random
    this.#ofExecution = forks(random, 'execution')
    this.#meter = new UsageMeter(profile, this.#ofExecution)
    const sharing = sharingOf(profile, this.#ofExecution)
    this.#shared = sharing === null ? null : new SharedWork(sharing, this.#followers())
    const shares = sharesMore(profile.capacity)
    this.#executions = new Executions(profile.tasks.length, { shares })
    this.#workers = new Slots(profile.capacity.workers)
    this.#coldStart = sleeperOf(profile)
  }

  get count(): number {
    return this.#executions.count
  }

  /** The first execution that the ledger still has. */
  get first(): number {
    return this.#executions.first
  }

  /**
   * Records what has started and ended by now, and drops some finished work. Times must not
   * decrease.
   */
  settle(nowMicros: Micros): void {
    this.#advance(nowMicros)
    for (let n = 0; n < FORGOTTEN_AT_ONCE; n++) {
      const oldest = this.#retained.first
      if (oldest === undefined || oldest.goneMicros > nowMicros) break
      this.#retained.shift()
      this.#forget(oldest.ordinal)
    }
    if (this.#profile.retentionMicros === null) return
    const { first } = this
    this.#executions.dropOld()
    if (this.first === first) return
    for (const ordinal of this.#waiting.keys()) {
      if (ordinal < this.first) this.#waiting.delete(ordinal)
    }
  }

  /** A request wakes the crew or keeps it awake; returns when the crew is ready for it. */
  wake(nowMicros: Micros): Micros {
    const random = (): Random => this.#random.fork('wake', this.#wakes++)
    const readyMicros = this.#coldStart.readyAt(nowMicros, () => this.#wakeMicros(random()))
    this.#coldStart.busyUntil(readyMicros)
    return readyMicros
  }

  /**
   * Accepts a kickoff with a valid body and returns its ordinal; null if the queue is full. Times
   * of kickoffs must not decrease. `strike`: what faults do to it; `script`: its own.
   */
  admit(
    { body, correlation, turn }: AdmittedKickoff,
    nowMicros: Micros,
    strike: { demand(drawn: Demand): Demand } | null,
    script: ExecutionScript | null,
  ): number | null {
    const ordinal = this.count
    const random = this.#ofExecution(ordinal)
    if (this.#shared?.isAtWork === true) this.#coldStart.busyUntil(nowMicros)
    const readyMicros = this.#coldStart.readyAt(nowMicros, () => this.#wakeMicros(random))
    if (this.#queueIsFull(readyMicros)) return null
    const drawn = drawDemand(script?.work ?? this.#profile, random)
    const demand = strike === null ? drawn : strike.demand(drawn)
    if (script !== null) this.#scripts.set(ordinal, script)
    if (script?.advances !== undefined) {
      const startedMicros = this.#shared === null ? this.#workers.take(readyMicros, 0) : readyMicros
      const { fate } = demand
      const accepted = { acceptedMicros: nowMicros, startedMicros, demand }
      this.#executions.add({ ...accepted, body, correlation, turn })
      this.#census.add({ ordinal, startedMicros, endedMicros: Infinity, fate })
      return ordinal
    }
    if (this.#shared !== null) {
      const accepted = { acceptedMicros: nowMicros, startedMicros: Infinity, demand }
      this.#executions.add({ ...accepted, body, correlation, turn })
      const unknown = { startedMicros: Infinity, endedMicros: Infinity, fate: demand.fate }
      this.#census.add({ ordinal, ...unknown })
      this.#shared.admit(ordinal, demand, readyMicros, turn)
      this.#shared.until(nowMicros)
      return ordinal
    }
    const stint = stintOf(demand, 0)
    const { startedMicros, endedMicros } = this.#take(demand, stint, readyMicros)
    this.#executions.add({
      acceptedMicros: nowMicros,
      startedMicros,
      demand,
      body,
      correlation,
      turn,
    })
    this.#executions.work(ordinal, stint, startedMicros)
    const { fate } = demand
    const knownEnd = stint.until === null ? endedMicros : Infinity
    this.#census.add({ ordinal, startedMicros, endedMicros: knownEnd, fate })
    this.#ask(ordinal, demand, stint, endedMicros)
    return ordinal
  }

  /** False for an id that was not issued yet, and for one whose retention is over. */
  isKnown(ordinal: number, nowMicros: Micros): boolean {
    if (ordinal < this.first || ordinal >= this.count) return false
    if (this.#executions.isForgotten(ordinal)) return false
    return nowMicros < this.#executions.endedMicros(ordinal) + this.#retentionMicros
  }

  /**
   * The crew restarts; workers whose executions it lost are free. Must not precede the last
   * kickoff.
   */
  restart(atMicros: Micros, loses: RestartLoses): void {
    if (loses === 'none') return
    this.#advance(atMicros)
    this.#executions.lose(atMicros, loses)
    for (const ordinal of this.#census.lose()) this.#forget(ordinal)
    for (const ordinal of this.#shared?.lose() ?? []) this.#forget(ordinal)
    for (const ordinal of this.#waiting.keys()) this.#forget(ordinal)
    this.#waiting.clear()
    this.#workers = new Slots(this.#profile.capacity.workers)
    this.#coldStart = sleeperOf(this.#profile)
  }

  /** The execution's own script; undefined for none. */
  scriptOf(ordinal: number): ExecutionScript | undefined {
    return this.#scripts.get(ordinal)
  }

  /** A poll completes the next task of an execution that its script lets advance by polls. */
  polled(ordinal: number, nowMicros: Micros): void {
    if (this.scriptOf(ordinal)?.advances === undefined) return
    const isOver = this.#executions.completeTask(ordinal, nowMicros)
    this.#changed(ordinal)
    if (!isOver) return
    const endedMicros = this.#executions.endedMicros(ordinal)
    const fate = this.#executions.fate(ordinal)
    this.#census.end({ ordinal, startedMicros: endedMicros, endedMicros, fate })
    this.#advance(nowMicros)
  }

  /** The id of the task about which a person is asked now; null for none. */
  askedTask(ordinal: number, nowMicros: Micros): string | null {
    const task = this.#executions.askedTask(ordinal, nowMicros)
    return task === null ? null : this.#profile.tasks[task]!.id
  }

  /** `POST /resume` answers for the person who is asked. */
  resume(ordinal: number, approved: boolean, nowMicros: Micros): void {
    this.#executions.answer(ordinal, approved, nowMicros)
    if (this.#shared === null) {
      const readyMicros = this.#coldStart.readyAt(nowMicros, () =>
        this.#wakeMicros(this.#ofExecution(ordinal).fork('resume')),
      )
      this.#await({ ...this.#waiting.get(ordinal)!, approved }, readyMicros)
    } else this.#shared.answer(ordinal, approved, nowMicros)
    this.#advance(nowMicros)
    this.#changed(ordinal)
  }

  countPoll(ordinal: number): number {
    return this.#executions.countPoll(ordinal)
  }

  view(ordinal: number, nowMicros: Micros): ExecutionView {
    return new ExecutionView(ordinal, nowMicros, this.#executions, this.#texts)
  }

  /**
   * A time at most a millisecond before the next change of what `view` returns for an execution in
   * progress, so that rounding cannot hide it; Infinity if it never changes again. It holds until
   * `unforeseenChanges` grows.
   */
  steadyUntil(ordinal: number, nowMicros: Micros): Micros {
    const { nextEventMicros } = this
    const own = this.#shared === null ? this.nextChange(ordinal, nowMicros) : nextEventMicros
    return own - MICROS_PER_MS
  }

  /** The next change of `view`, of an execution that shares nothing but workers. */
  nextChange(ordinal: number, nowMicros: Micros): Micros {
    return this.#shared === null ? this.#executions.nextChange(ordinal, nowMicros) : Infinity
  }

  /**
   * The next event that makes more known of some execution: one of those that share more than
   * workers happens, or one whose person has answered takes its turn. Infinity for none.
   */
  get nextEventMicros(): Micros {
    return Math.min(this.#shared?.nextMicros ?? Infinity, this.#answers.nextDue)
  }

  taskEndMicros(ordinal: number, task: number): Micros {
    return this.#executions.taskEndMicros(ordinal, task)
  }

  /** How the execution will end. */
  fateOf(ordinal: number): Demand['fate'] {
    return this.#executions.fate(ordinal)
  }

  /** Gives what `view` gives, or null for an execution that can no longer be asked for. */
  known(ordinal: number, nowMicros: Micros): ExecutionView | null {
    return this.isKnown(ordinal, nowMicros) ? this.view(ordinal, nowMicros) : null
  }

  row(ordinal: number, nowMicros: Micros): LedgerRow {
    const lostMicros = this.#executions.lostMicros(ordinal)
    const view = this.view(ordinal, Math.min(nowMicros, lostMicros))
    const times = view.taskTimesMs()
    const asked = this.#executions.asked(ordinal, Math.min(nowMicros, lostMicros))
    const members = this.#executions.members(ordinal)
    const turn = this.#executions.turn(ordinal)
    const used = this.#scripts.get(ordinal)?.usage ?? this.#meter.used(ordinal, view)
    return {
      kickoff_id: this.ids.idOf(ordinal),
      ordinal,
      correlation: this.#executions.correlation(ordinal),
      accepted_ms: view.acceptedMicros / MICROS_PER_MS,
      started_ms: view.phase === 'queued' ? null : view.startedMicros / MICROS_PER_MS,
      ended_ms: view.endedMicros === Infinity ? null : view.endedMicros / MICROS_PER_MS,
      outcome: lostMicros < Infinity ? 'lost' : this.#outcome(view, nowMicros),
      tasks: times.map((timeMs, task) => this.#taskRow(ordinal, task, timeMs)),
      output_hash: view.phase === 'completed' ? this.#outputHash(ordinal) : null,
      ...(used === undefined ? {} : { usage: used }),
      ...(members === undefined ? {} : { kickoff: members }),
      ...(turn === null ? {} : { queue: { ...turn } }),
      ...(asked.length === 0 ? {} : { asked: asked.map((each) => this.#askedRow(each)) }),
    }
  }

  #taskRow(ordinal: number, task: number, timeMs: number): LedgerRow['tasks'][number] {
    const waits = this.#executions.taskWaits(ordinal, task)
    return {
      task_id: this.#profile.tasks[task]!.id,
      execution_time: timeMs / 1_000,
      ...(waits === null
        ? {}
        : { quota_wait: waits.quotaMs / 1_000, slowed: waits.slowedMs / 1_000 }),
    }
  }

  #askedRow({ task, fromMicros, toMicros, approved }: AskedSpan): Asked {
    return {
      task_id: this.#profile.tasks[task]!.id,
      from_ms: fromMicros / MICROS_PER_MS,
      to_ms: toMicros === null ? null : toMicros / MICROS_PER_MS,
      ...(approved === undefined ? {} : { approved }),
    }
  }

  /** How many executions are in each phase; those lost in a restart are in none. */
  census(nowMicros: Micros): Readonly<Record<CountedPhase, number>> {
    this.#advance(nowMicros)
    return this.#census.phases
  }

  /** Infinity for unlimited. */
  get #retentionMicros(): Micros {
    return this.#profile.retentionMicros ?? Infinity
  }

  /** The next free worker does the stint. Its last one, if the execution is stuck, never ends. */
  #take(
    { fate }: Demand,
    { lengthMs, until }: Stint,
    readyMicros: Micros,
  ): { startedMicros: Micros; endedMicros: Micros } {
    const isEndless = fate === 'stuck' && until === null
    const serviceMicros = isEndless ? Infinity : lengthMs * MICROS_PER_MS
    const startedMicros = this.#workers.take(readyMicros, serviceMicros)
    const endedMicros = startedMicros + serviceMicros
    const { forMs = 0 } = until ?? {}
    this.#coldStart.busyUntil(endedMicros + (forMs === Infinity ? 0 : forMs) * MICROS_PER_MS)
    return { startedMicros, endedMicros }
  }

  /** If the stint ends with a person being asked, the execution continues when they answer. */
  #ask(ordinal: number, demand: Demand, { until }: Stint, endedMicros: Micros): void {
    if (until === null || endedMicros === Infinity) return
    const { task, forMs } = until
    this.#await({ ordinal, demand, task, approved: true }, endedMicros + forMs * MICROS_PER_MS)
  }

  /** It is known when the execution takes its turn for a worker again; Infinity for not yet. */
  #await(waiting: Waiting, readyMicros: Micros): void {
    this.#waiting.set(waiting.ordinal, waiting)
    if (readyMicros < Infinity) this.#answers.push(readyMicros, waiting)
  }

  /**
   * Executions whose person has answered by now take their turn for a worker, in the order of the
   * answers; kickoffs until then were admitted before.
   */
  #advance(nowMicros: Micros): void {
    this.#shared?.until(nowMicros)
    while (this.#answers.nextDue <= nowMicros) {
      const readyMicros = this.#answers.nextDue
      const waiting = this.#answers.pop()!
      const { ordinal, demand, task, approved } = waiting
      if (this.#waiting.get(ordinal) !== waiting) continue
      this.#waiting.delete(ordinal)
      if (ordinal < this.first) continue
      const stint = stintOf(demand, task, approved)
      const { startedMicros, endedMicros } = this.#take(demand, stint, readyMicros)
      this.#executions.work(ordinal, stint, startedMicros)
      this.#changed(ordinal)
      if (stint.until === null) {
        const { fate } = demand
        this.#census.end({ ordinal, startedMicros, endedMicros, fate })
      }
      this.#ask(ordinal, demand, stint, endedMicros)
    }
    this.#census.settle(nowMicros)
  }

  /** Records what happens to executions; those that the ledger no longer has, change nothing. */
  #followers(): Followers {
    const isKept = (ordinal: number): boolean => ordinal >= this.first
    return {
      begins: (ordinal, atMicros) => {
        this.#census.begin()
        if (isKept(ordinal)) this.#executions.begin(ordinal, atMicros)
        this.#changed(ordinal)
      },
      taskEnds: (ordinal, task, ms, waits) => {
        if (isKept(ordinal)) this.#executions.endTask(ordinal, task, ms, waits)
        this.#changed(ordinal)
      },
      asks: (ordinal, question) => {
        if (isKept(ordinal)) this.#executions.ask(ordinal, question)
        this.#changed(ordinal)
      },
      isRefused: (ordinal, task) => {
        if (isKept(ordinal)) this.#executions.refuse(ordinal, task)
      },
      ends: (ordinal, endedMicros) => {
        this.#coldStart.busyUntil(endedMicros)
        if (!isKept(ordinal)) return
        const fate = this.#executions.fate(ordinal)
        this.#census.end({ ordinal, startedMicros: endedMicros, endedMicros, fate })
        this.#changed(ordinal)
      },
    }
  }

  #noteEnd(ordinal: number, endedMicros: Micros): void {
    const goneMicros = endedMicros + this.#retentionMicros
    if (goneMicros !== Infinity) this.#retained.push({ ordinal, goneMicros })
  }

  /** What the ledger says about it remains. */
  #forget(ordinal: number): void {
    if (ordinal < this.first) return
    const isLost = this.#executions.lostMicros(ordinal) < Infinity
    if (this.#executions.fate(ordinal) === 'completed' && !isLost) this.#outputHash(ordinal)
    this.#executions.letGo(ordinal)
    this.#scripts.delete(ordinal)
    this.#forgotten(ordinal)
  }

  #outcome({ ordinal, phase }: ExecutionView, nowMicros: Micros): LedgerRow['outcome'] {
    if (phase === 'completed' || phase === 'failed') return phase
    const overdue = nowMicros >= this.#executions.plannedEndMicros(ordinal)
    return overdue ? 'stuck' : 'running'
  }

  /** Counts executions that wait for a worker, not those that wait for the crew to wake. */
  #queueIsFull(readyMicros: Micros): boolean {
    const { queueLimit } = this.#profile.capacity
    if (this.#shared !== null) return queueLimit !== null && this.#shared.isFull(queueLimit)
    if (queueLimit === null || this.#workers.earliestFree <= readyMicros) return false
    return this.#executions.startingAfter(readyMicros) >= queueLimit
  }

  #wakeMicros(random: Random): Micros {
    const { coldStart } = this.#profile.capacity
    if (coldStart === null) return 0
    return Math.round(drawMicros(coldStart.delay, random.fork('cold start')))
  }

  #outputHash(ordinal: number): string {
    const lastTask = this.#profile.tasks.length - 1
    return this.#executions.outputHash(ordinal, () =>
      fingerprint(this.#texts.output(ordinal, lastTask)),
    )
  }
}

function sleeperOf({ capacity }: WallProfile): CrewColdStart {
  return new CrewColdStart(capacity.coldStart?.idleMicros ?? Infinity)
}

/** The crew's sleep: after a time without work, the next request waits for the crew to wake. */
class CrewColdStart {
  readonly #idleMicros: Micros
  #awakeAt: Micros = -Infinity
  #lastEnd: Micros = -Infinity

  /**
   * `idleMicros` is wall time; with Infinity the crew never sleeps. A new crew sleeps unless it
   * never does.
   */
  constructor(idleMicros: Micros) {
    this.#idleMicros = idleMicros
  }

  /** When the crew is ready for work that arrives now; a sleeping crew wakes in `wakeMicros()`. */
  readyAt(nowMicros: Micros, wakeMicros: () => Micros): Micros {
    const asleep = this.#idleMicros !== Infinity && nowMicros >= this.#lastEnd + this.#idleMicros
    if (asleep && nowMicros >= this.#awakeAt) {
      this.#awakeAt = nowMicros + wakeMicros()
      this.busyUntil(this.#awakeAt)
    }
    return Math.max(nowMicros, this.#awakeAt)
  }

  /** The crew has work until then; Infinity keeps it awake permanently. */
  busyUntil(endMicros: Micros): void {
    this.#lastEnd = Math.max(this.#lastEnd, endMicros)
  }
}
