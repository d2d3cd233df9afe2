/**
 * The work of a crew whose executions share more than workers that serve first come, first served,
 * so that each may delay those before it.
 * Nothing is known ahead: events happen in the order of time, however often the crew is asked.
 */
import { assert, unreachable } from '../../../../src/base/assert.ts'
import { DueHeap } from '../../../../src/base/collections/heap.ts'
import type { Random } from '../../../../src/base/random.ts'
import type { Micros } from '../../../../src/base/units.ts'
import { MICROS_PER_MS } from '../../../../src/base/units.ts'
import type { Demand, PersonAsked } from '../demand.ts'
import type { CapacityProfile, TaskProfile } from '../profile.ts'
import type { QueueProfile, Turn, WaitingLine } from './discipline.ts'
import { waitingLine } from './discipline.ts'
import type { FixedTimes } from './provider.ts'
import { Provider } from './provider.ts'
import { Processor } from './slowdown.ts'
import type { Staff } from './scaling.ts'
import { WorkerScaling } from './scaling.ts'

/** The course of an execution as steps, from what it was drawn to need. */
type WorkStep =
  /** The worker is occupied, without any task. */
  | { kind: 'setUp'; ms: number }
  /** A call of the language model begins: it needs a part of the quotas. */
  | { kind: 'call'; task: number; number: number }
  /** Work of a task, which shares the processor. */
  | { kind: 'work'; ms: number }
  | { kind: 'ask'; task: number; ms: number; holdsWorker: boolean }
  /** The task is over: done, or failed if the execution then fails. */
  | { kind: 'taskEnd'; task: number }

/**
 * The last task of a stuck execution never completes, so nobody is asked about it. `callsPerTask`
 * is 0 where no quota limits calls; those of a task divide its time evenly.
 */
function stepsOf(
  { fate, taskEndsMs, setUpMs, asks = [] }: Demand,
  callsPerTask: number,
): WorkStep[] {
  const last = taskEndsMs.length - 1
  return taskEndsMs.flatMap((endMs, task): WorkStep[] => {
    const workMs = Math.max(0, endMs - (taskEndsMs[task - 1] ?? 0) - setUpMs)
    const isStuck = fate === 'stuck' && task === last
    const ask = isStuck ? undefined : asks.find((each) => each.task === task)
    return [
      ...(setUpMs > 0 ? [{ kind: 'setUp', ms: setUpMs } as const] : []),
      ...workSteps(task, workMs, callsPerTask),
      ...(ask === undefined
        ? []
        : [{ kind: 'ask', task, ms: ask.forMs, holdsWorker: ask.holdsWorker } as const]),
      { kind: 'taskEnd', task },
    ]
  })
}

/** Whole milliseconds, which add up to `workMs`. */
function workSteps(task: number, workMs: number, calls: number): WorkStep[] {
  if (calls === 0) return [{ kind: 'work', ms: workMs }]
  const until = (part: number): number => Math.round((workMs * part) / calls)
  return Array.from({ length: calls }, (_, number): WorkStep[] => [
    { kind: 'call', task, number },
    { kind: 'work', ms: until(number + 1) - until(number) },
  ]).flat()
}

/** What was added to the work of a task. */
export interface TaskWaits {
  /** Its calls waited for a quota. */
  quotaMs: number
  /** It had only a part of the shared processor. */
  slowedMs: number
}

/** What happens to executions, in the order of time. */
export interface Followers {
  begins(ordinal: number, atMicros: Micros): void
  /** `ms`: after the beginning of the execution. */
  taskEnds(ordinal: number, task: number, ms: number, waits: TaskWaits): void
  asks(ordinal: number, question: PersonAsked): void
  /** A quota did not let its task go on. */
  isRefused(ordinal: number, task: number): void
  /** It ends, unless it is stuck: then its worker is never free again. */
  ends(ordinal: number, atMicros: Micros): void
}

interface Sharing {
  staff: Staff
  discipline: QueueProfile['discipline']
  /** Tasks that run at full speed at once. */
  processors: number
  provider: Provider
  /** The stream of an execution. */
  randomOf: (ordinal: number) => Random
}

type SharedParts = Pick<
  CapacityProfile,
  'workers' | 'quota' | 'tokens' | 'slowdown' | 'scaling' | 'queue'
>

/** Whether executions share more than a fixed number of workers. */
export function sharesMore({ quota, tokens, slowdown, scaling }: SharedParts): boolean {
  return (quota ?? tokens ?? slowdown ?? scaling) !== undefined
}

/**
 * Null if the course of each execution is known when a worker takes it: they share nothing more,
 * workers serve first come, first served, and none waits for a person, of whom nobody knows when
 * they answer.
 */
export function sharingOf(
  profile: { capacity: SharedParts; fixed: FixedTimes; tasks: readonly TaskProfile[] },
  randomOf: (ordinal: number) => Random,
): Sharing | null {
  const { capacity, fixed, tasks } = profile
  const { workers, slowdown, scaling, queue: { discipline } = { discipline: 'fifo' } } = capacity
  const holdsWorkers = tasks.some(({ asks }) => asks?.holdsWorker === true)
  if (!sharesMore(capacity) && !holdsWorkers && discipline === 'fifo') return null
  const fewest = workers ?? Infinity
  return {
    staff: {
      fewest,
      most: scaling?.to ?? fewest,
      upAfterMicros: scaling?.upAfterMicros ?? 0,
      downAfterMicros: scaling?.downAfterMicros ?? 0,
    },
    discipline,
    processors: slowdown?.shared ?? Infinity,
    provider: new Provider(capacity, fixed),
    randomOf,
  }
}

interface WorkedExecution {
  ordinal: number
  turn: Turn | null
  isStuck: boolean
  steps: readonly WorkStep[]
  at: number
  /** Infinity until a worker takes it. */
  startedMicros: Micros
  /** The time since then, in milliseconds. */
  ms: number
  /** When its present worker took it, on the same clock; whole milliseconds follow. */
  takenMs: number
  /** How often the present call was refused. */
  refusals: number
  workBeganMs: number
  waits: TaskWaits
  /** Grows with each answer of `POST /resume`, after which an event of before is void. */
  answers: number
}

interface PlannedStep {
  kind: 'joins' | 'continues'
  execution: WorkedExecution
  /** Of the execution, when this was planned. */
  answers: number
}

export class SharedWork {
  readonly #sharing: Sharing
  readonly #followers: Followers
  /** All that have not ended, by their ordinals. */
  readonly #present = new Map<number, WorkedExecution>()
  #events = new DueHeap<PlannedStep>()
  #processor: Processor<WorkedExecution>
  #scaling: WorkerScaling
  #queue: WaitingLine<WorkedExecution>
  #waiting = 0
  #busy = 0
  /** Executions that workers have taken for the first time. */
  #served = 0

  constructor(sharing: Sharing, followers: Followers) {
    this.#sharing = sharing
    this.#followers = followers
    this.#processor = new Processor(sharing.processors)
    this.#scaling = new WorkerScaling(sharing.staff)
    this.#queue = waitingLine(sharing.discipline)
  }

  /** Whether any execution has not ended. */
  get isAtWork(): boolean {
    return this.#present.size > 0
  }

  /** Whether all workers are taken and `limit` executions wait, or will when the crew is awake. */
  isFull(limit: number): boolean {
    return this.#present.size - this.#busy - this.#free - this.#away >= limit
  }

  /** No later than the next change of any execution, as long as no other one is admitted. */
  get nextMicros(): Micros {
    return Math.min(this.#events.nextDue, this.#processor.nextMicros, this.#scaling.nextMicros)
  }

  /** Kickoffs come in the order of time, after `until` that time. */
  admit(ordinal: number, demand: Demand, readyMicros: Micros, turn: Turn | null = null): void {
    const execution = {
      ordinal,
      turn,
      isStuck: demand.fate === 'stuck',
      steps: stepsOf(demand, this.#sharing.provider.callsPerTask),
      at: 0,
      startedMicros: Infinity,
      ms: 0,
      takenMs: 0,
      refusals: 0,
      workBeganMs: 0,
      waits: { quotaMs: 0, slowedMs: 0 },
      answers: 0,
    }
    this.#present.set(ordinal, execution)
    this.#events.push(readyMicros, { kind: 'joins', execution, answers: 0 })
  }

  /**
   * `POST /resume` answers, while the execution asks and everything until now has happened: the
   * task is over, or begins again.
   */
  answer(ordinal: number, approved: boolean, nowMicros: Micros): void {
    const execution = this.#present.get(ordinal)!
    const asking = execution.steps[execution.at - 1]
    assert(asking?.kind === 'ask', 'an execution that asks is at that step')
    execution.answers++
    execution.ms = (nowMicros - execution.startedMicros) / MICROS_PER_MS
    execution.takenMs = execution.ms
    if (!approved) {
      const before = execution.steps.slice(0, execution.at)
      execution.at = before.findLastIndex(({ kind }) => kind === 'taskEnd') + 1
    }
    this.#continue(execution, asking.holdsWorker ? 'continues' : 'joins')
  }

  /** Lets everything happen that is due by then. Times must not decrease. */
  until(nowMicros: Micros): void {
    for (let next = this.nextMicros; next <= nowMicros; next = this.nextMicros) {
      if (this.#processor.nextMicros === next) this.#workIsDone()
      else if (this.#scaling.nextMicros === next) this.#scaling.change()
      else this.#happens(this.#events.pop()!, next)
      this.#serve(next)
    }
  }

  /** All executions are lost; the quotas stay as they are. Returns the lost ones. */
  lose(): number[] {
    const lost = [...this.#present.keys()]
    this.#present.clear()
    this.#events = new DueHeap()
    this.#processor = new Processor(this.#sharing.processors)
    this.#scaling = new WorkerScaling(this.#sharing.staff)
    this.#queue = waitingLine(this.#sharing.discipline)
    this.#waiting = this.#busy = this.#away = 0
    return lost
  }

  get #free(): number {
    return Math.max(0, this.#scaling.workers - this.#busy)
  }

  /** Executions that wait for a person and have no worker. */
  #away = 0

  #happens({ kind, execution, answers }: PlannedStep, nowMicros: Micros): void {
    if (answers !== execution.answers) return
    switch (kind) {
      case 'joins':
        if (execution.startedMicros < Infinity) this.#away--
        this.#queue.push(execution, execution.turn)
        this.#waiting++
        return
      case 'continues':
        this.#goOn(execution, nowMicros)
        return
      default:
        unreachable(kind)
    }
  }

  /** Free workers take those who wait. */
  #serve(nowMicros: Micros): void {
    while (this.#waiting > 0 && this.#free > 0) {
      const execution = this.#queue.shift()!
      this.#waiting--
      this.#busy++
      if (execution.startedMicros === Infinity) {
        execution.startedMicros = nowMicros
        if (execution.turn !== null) execution.turn.served = this.#served
        this.#served++
        this.#followers.begins(execution.ordinal, nowMicros)
      } else {
        execution.ms = (nowMicros - execution.startedMicros) / MICROS_PER_MS
        execution.takenMs = execution.ms
      }
      this.#goOn(execution, nowMicros)
    }
    this.#scaling.sees({ waiting: this.#waiting, busy: this.#busy }, nowMicros)
  }

  #workIsDone(): void {
    const atMicros = this.#processor.nextMicros
    const execution = this.#processor.pop()!
    const step = execution.steps[execution.at - 1]
    assert(step?.kind === 'work', 'only work uses the processor')
    execution.ms = msUntil(execution, atMicros)
    execution.waits.slowedMs += execution.ms - execution.workBeganMs - step.ms
    this.#continue(execution)
  }

  /** Takes the steps that need no time, and begins one that does. */
  #goOn(execution: WorkedExecution, nowMicros: Micros): void {
    for (;;) {
      const step = execution.steps[execution.at]
      if (step === undefined) return this.#end(execution, nowMicros)
      if (step.kind === 'call') {
        const isLet = this.#call(execution, step, nowMicros)
        if (!isLet) return
        continue
      }
      execution.at++
      if (step.kind === 'taskEnd') {
        const { ordinal, ms, waits } = execution
        this.#followers.taskEnds(ordinal, step.task, ms, waits)
        execution.waits = { quotaMs: 0, slowedMs: 0 }
      } else if (step.kind === 'work') {
        if (step.ms === 0) continue
        execution.workBeganMs = execution.ms
        this.#processor.add(execution, step.ms * MICROS_PER_MS, nowMicros)
        return
      } else {
        if (step.kind === 'ask') this.#ask(execution, step)
        execution.ms += step.ms
        const isAway = step.kind === 'ask' && !step.holdsWorker
        return this.#continue(execution, isAway ? 'joins' : 'continues')
      }
    }
  }

  /** Returns whether the call begins now; if not, it is tried again or has failed. */
  #call(
    execution: WorkedExecution,
    { task, number }: Extract<WorkStep, { kind: 'call' }>,
    nowMicros: Micros,
  ): boolean {
    const { provider, randomOf } = this.#sharing
    const random = (): Random => randomOf(execution.ordinal).fork(`call ${task}`, number)
    const answer = provider.call(random, execution.refusals, nowMicros)
    switch (answer.kind) {
      case 'passes': {
        execution.at++
        execution.refusals = 0
        const atMs = msUntil(execution, answer.atMicros)
        const waitsMs = atMs - execution.ms
        if (waitsMs <= 0) return true
        execution.waits.quotaMs += waitsMs
        execution.ms = atMs
        this.#continue(execution)
        return false
      }
      case 'again': {
        execution.refusals++
        const waitsMs = Math.ceil(answer.afterMicros / MICROS_PER_MS)
        execution.waits.quotaMs += waitsMs
        execution.ms += waitsMs
        this.#continue(execution)
        return false
      }
      case 'fails': {
        const { ordinal, ms, waits } = execution
        this.#followers.isRefused(ordinal, task)
        this.#followers.taskEnds(ordinal, task, ms, waits)
        execution.isStuck = false
        this.#end(execution, nowMicros)
        return false
      }
      default:
        return unreachable(answer)
    }
  }

  #ask({ ordinal, ms }: WorkedExecution, step: Extract<WorkStep, { kind: 'ask' }>): void {
    this.#followers.asks(ordinal, { task: step.task, fromMs: ms, toMs: ms + step.ms })
    if (step.holdsWorker) return
    this.#busy--
    this.#away++
  }

  #continue(execution: WorkedExecution, kind: PlannedStep['kind'] = 'continues'): void {
    const { startedMicros, ms, answers } = execution
    if (ms === Infinity) return
    const dueMicros = startedMicros + Math.round(ms * MICROS_PER_MS)
    this.#events.push(dueMicros, { kind, execution, answers })
  }

  #end({ ordinal, isStuck }: WorkedExecution, nowMicros: Micros): void {
    if (isStuck) return
    this.#busy--
    this.#present.delete(ordinal)
    this.#followers.ends(ordinal, nowMicros)
  }
}

/** The fraction of a millisecond that sums of floating-point numbers may be off. */
const ROUNDING = 1e-6

/** Whole milliseconds with a worker, so that times that clients read add up exactly. */
function msUntil({ startedMicros, takenMs }: WorkedExecution, atMicros: Micros): number {
  const sinceMs = (atMicros - startedMicros) / MICROS_PER_MS - takenMs
  return takenMs + Math.ceil(sinceMs - ROUNDING)
}
