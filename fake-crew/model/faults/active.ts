/**
 * A fault that has been installed: decides whether it strikes a request, by a draw from that
 * request's own stream.
 */
import { createRandom, forksTwice } from '../../../src/base/random.ts'
import type { Random } from '../../../src/base/random.ts'
import type { Operation } from '../../../src/crew/answer.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { Call } from '../call.ts'
import type { FaultReach } from './definition.ts'
import type { Effect, Scene, FaultStage } from './effect.ts'
import type { Fault, FaultTime } from './fault.ts'
import { definitionOf } from './kinds/list.ts'
import type { Spans } from './spans.ts'
import { createSpans, spanAt } from './spans.ts'
import { scale } from '../../../src/base/distribution.ts'

/** What is in the crew's own time is divided by the speed; the rest is as it was written. */
function wallFault(fault: Fault, speed: number): Fault {
  if (speed === 1) return fault
  const { what, time } = fault
  return {
    ...fault,
    what: { ...what, ...definitionOf(what).atSpeed?.(what, speed) },
    time: time === null ? null : timeAt(time, speed),
  }
}

function timeAt(time: FaultTime, speed: number): FaultTime {
  if (time.kind === 'episodes') {
    return { ...time, off: scale(time.off, 1 / speed), on: scale(time.on, 1 / speed) }
  }
  const { fromMicros, forMicros, everyMicros } = time
  return {
    ...time,
    fromMicros: fromMicros / speed,
    forMicros: forMicros === null ? null : forMicros / speed,
    everyMicros: everyMicros === null ? null : everyMicros / speed,
  }
}

export interface FaultSurroundings {
  /** Root of the draws of all faults. */
  random: Random
  /** Divides the times of the fault. */
  speed: number
  /** The fault's times count from here. */
  zeroMicros: Micros
  /** Only requests of this test are struck. Default: all. */
  test?: string | null
}

/** The draws of one request, by its execution and its number. */
type FaultStream = (ordinal: number, number: number) => Random

export class ActiveFault {
  /** As it was written: its times are the crew's own. */
  readonly fault: Fault
  readonly test: string | null
  /** Null for faults of connections. */
  readonly effect: Effect | null
  readonly spans: Spans
  /** Answers that the fault changed. */
  touched = 0
  readonly #streams: (operation: Operation, isPoll: boolean) => FaultStream
  readonly #operations: readonly Operation[]
  /** Requests considered so far. */
  #looked = 0

  constructor(fault: Fault, { random: common, speed, zeroMicros, test = null }: FaultSurroundings) {
    const wall = wallFault(fault, speed)
    const root = fault.seed === null ? common : createRandom(fault.seed)
    this.fault = fault
    this.test = test
    const definition = definitionOf(fault.what)
    this.effect = definition.effect(wall.what)
    const random = root.fork(fault.name)
    this.#operations = fault.operations ?? operationsOf(definition.reach)
    this.#streams = streamsOf(random)
    this.spans = createSpans(timeOf(wall), { zeroMicros, random: random.fork('time') })
  }

  /**
   * Returns the scene of the strike, or null. Called once per request. The draws are keyed by its
   * number in its execution, or else in its operation, so that no other request can change them.
   */
  strike(call: Call, operation: Operation, number: number, stage: FaultStage): Scene | null {
    if (this.effect === null || !this.#operations.includes(operation)) return null
    if (this.test !== null && this.test !== call.test) return null
    if (spanAt(this.spans, call.nowMicros) === null) return null
    const { ordinal } = call
    const random = this.#streams(operation, ordinal !== undefined)(ordinal ?? 0, number)
    const scene = { call, stage, random }
    if (this.effect.applies?.(scene) === false) return null
    return this.#isChosen(scene.random) ? scene : null
  }

  #isChosen(random: Random): boolean {
    const { first, nth, chance } = this.fault
    const number = ++this.#looked
    if (first !== null && number > first) return false
    return number % nth === 0 && (chance === 1 || random.fork('chance').next() < chance)
  }
}

/** True if no schedule turns it on and off. */
export function isAlwaysOn({ what, time }: Fault): boolean {
  return time === null && definitionOf(what).restarts === undefined
}

/** A restart without a duration is over immediately, where other faults would stay on. */
function timeOf({ what, time }: Fault): Fault['time'] {
  if (definitionOf(what).restarts === undefined) return time
  if (time === null) return { kind: 'window', fromMicros: 0, forMicros: 0, everyMicros: null }
  return time.kind === 'window' ? { ...time, forMicros: time.forMicros ?? 0 } : time
}

function operationsOf(reach: FaultReach): readonly Operation[] {
  return reach === 'connections' ? [] : reach
}

/** The names are hashed once, rather than for each request. */
function streamsOf(random: Random): (operation: Operation, isPoll: boolean) => FaultStream {
  const known = new Map<string, FaultStream>()
  return (operation, isPoll) => {
    const name = `${operation} ${isPoll ? 'poll' : 'request'}`
    const stream = known.get(name) ?? forksTwice(random, name, 'number')
    known.set(name, stream)
    return stream
  }
}
