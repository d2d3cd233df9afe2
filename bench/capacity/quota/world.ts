/**
 * Simulates a drawn crew event by event, in code that shares nothing with the search: workers,
 * first come, first served, and calls that need permission or a part of a processor.
 */
import { DueHeap } from '../../../src/base/collections/heap.ts'
import type { Random } from '../../../src/base/random.ts'
import type { DrawnCrew } from './crews.ts'
import { HOUR, SECOND, callsPerHour, worksOf } from './crews.ts'

/** One execution: when it came, began and ended, and how long its tasks took. */
export interface Done {
  arrived: number
  started: number
  ended: number
  tasks: number[]
}

interface Execution extends Done {
  /** The parts of work that follow one call each, with their task. */
  parts: { task: number; work: number }[]
  part: number
  refusals: number
  taskBegan: number
  /** What happens to it next. */
  next: 'arrives' | 'calls' | 'passes' | 'done'
}

/** When executions arrive: at these times, or each client's next one when its last one ends. */
type Arriving = { times: Float64Array } | { clients: number; executions: number }

export function simulate(crew: DrawnCrew, arriving: Arriving, random: Random): Done[] {
  return new Simulated(crew, random).run(arriving)
}

class Simulated {
  readonly #crew: DrawnCrew
  readonly #random: Random
  readonly #provider: ReturnType<typeof providerOf>
  readonly #events = new DueHeap<Execution>()
  #busy = 0
  #waiting: Execution[] = []
  #head = 0
  /** The shared processor: jobs by the work that each has received when it is done. */
  readonly #jobs = new DueHeap<Execution>()
  #received = 0
  #receivedAt = 0
  readonly #processors: number

  constructor(crew: DrawnCrew, random: Random) {
    this.#crew = crew
    this.#random = random
    this.#provider = providerOf(crew, random.fork('provider'))
    this.#processors = crew.kind === 'shared processor' ? crew.share * crew.slots : Infinity
  }

  run(arriving: Arriving): Done[] {
    const isOpen = 'times' in arriving
    const all: Execution[] = []
    const total = isOpen ? arriving.times.length : arriving.executions
    const add = (at: number): void => {
      const execution = this.#execution(at)
      all.push(execution)
      this.#push(execution, 'arrives', at)
    }
    const first = isOpen ? 1 : Math.min(arriving.clients, total)
    for (let n = 0; n < first; n++) add(isOpen ? arriving.times.at(0)! : 0)
    for (;;) {
      const processor = this.#jobs.size === 0 ? Infinity : this.#nextJobAt()
      if (Math.min(processor, this.#events.nextDue) === Infinity) return all
      if (processor <= this.#events.nextDue) {
        this.#received = this.#jobs.nextDue
        const job = this.#jobs.pop()!
        this.#receivedAt = processor
        if (this.#partDone(job, processor) && !isOpen && all.length < total) add(processor)
        continue
      }
      const at = this.#events.nextDue
      const execution = this.#events.pop()!
      const kind = execution.next
      if (kind === 'arrives') {
        if (isOpen && all.length < total) add(arriving.times.at(all.length)!)
        this.#waiting.push(execution)
        this.#serve(at)
      } else if (kind === 'calls') this.#call(execution, at)
      else if (kind === 'passes') this.#work(execution, at)
      else if (this.#partDone(execution, at) && !isOpen && all.length < total) add(at)
    }
  }

  #execution(arrived: number): Execution {
    const parts = worksOf(this.#crew, this.#random).flatMap((work, task) => {
      const { calls } = this.#crew.tasks.at(task)!
      return Array.from({ length: calls }, () => ({ task, work: work / calls }))
    })
    const times = { arrived, started: 0, ended: 0, taskBegan: 0 }
    return { ...times, tasks: [], parts, part: 0, refusals: 0, next: 'arrives' }
  }

  #push(execution: Execution, next: Execution['next'], at: number): void {
    execution.next = next
    this.#events.push(at, execution)
  }

  #serve(at: number): void {
    while (this.#busy < this.#crew.slots && this.#head < this.#waiting.length) {
      const execution = this.#waiting.at(this.#head++)!
      this.#busy++
      execution.started = execution.taskBegan = at
      this.#call(execution, at)
    }
    if (this.#head > 10_000) [this.#waiting, this.#head] = [this.#waiting.slice(this.#head), 0]
  }

  #call(execution: Execution, at: number): void {
    const passes = this.#provider(at, execution.refusals)
    if (passes.isRefused) {
      execution.refusals++
      this.#push(execution, 'calls', passes.at)
      return
    }
    execution.refusals = 0
    if (passes.at > at) this.#push(execution, 'passes', passes.at)
    else this.#work(execution, at)
  }

  #work(execution: Execution, at: number): void {
    const { work } = execution.parts.at(execution.part)!
    if (this.#processors === Infinity) {
      this.#push(execution, 'done', at + work)
      return
    }
    if (this.#jobs.size > 0) this.#received += (at - this.#receivedAt) / this.#slowness
    this.#receivedAt = at
    this.#jobs.push(this.#received + work, execution)
  }

  /** Whether that was the last part. */
  #partDone(execution: Execution, at: number): boolean {
    const { parts, part } = execution
    const next = parts[++execution.part]
    if (next?.task !== parts.at(part)!.task) {
      execution.tasks.push(at - execution.taskBegan)
      execution.taskBegan = at
    }
    if (next !== undefined) {
      this.#call(execution, at)
      return false
    }
    execution.ended = at
    this.#busy--
    this.#serve(at)
    return true
  }

  get #slowness(): number {
    return Math.max(1, this.#jobs.size / this.#processors)
  }

  #nextJobAt(): number {
    return this.#receivedAt + (this.#jobs.nextDue - this.#received) * this.#slowness
  }
}

const MINUTE = 60 * SECOND

/** Returns when a call that is made at a time passes, or when to try again. */
function providerOf(crew: DrawnCrew, random: Random) {
  const perHour = callsPerHour(crew)
  const gap = perHour === null ? 0 : HOUR / perHour
  const { burst, kind } = crew
  let [level, levelAt] = [burst, 0]
  let [window, left] = [0, 0]
  const perWindow = MINUTE / gap
  return (at: number, refusals: number): { isRefused: boolean; at: number } => {
    if (perHour === null) return { isRefused: false, at }
    if (kind === 'window of a minute') {
      const now = Math.floor(at / MINUTE) + 1
      if (now > window) [window, left] = [now, perWindow]
      left--
      while (left < 0) [window, left] = [window + 1, left + perWindow]
      return { isRefused: false, at: Math.max(at, (window - 1) * MINUTE) }
    }
    level = Math.min(burst, level + (at - levelAt) / gap)
    levelAt = at
    if (kind === 'bucket, clients retry' && level < 1) {
      const pause = SECOND * Math.min(30, 2 ** refusals) * (1 - random.next() / 2)
      return { isRefused: true, at: at + pause }
    }
    level--
    return { isRefused: false, at: level >= 0 ? at : at - level * gap }
  }
}
