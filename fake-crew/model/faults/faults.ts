/**
 * All faults of a crew: those of its profile, and those that are added and cleared while it runs.
 */
import type { Operation } from '../../../src/crew/answer.ts'
import type { FaultMark, FaultSpells } from '../../../src/crew/ledger.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { Call } from '../call.ts'
import { operationOf } from '../call.ts'
import { ActiveFault, isAlwaysOn } from './active.ts'
import type { FaultSurroundings } from './active.ts'
import { KICKOFFS } from './definition.ts'
import type { Effect, FaultStage } from './effect.ts'
import type { Fault } from './fault.ts'
import type { FaultKindName } from './kinds/list.ts'
import { definitionOf } from './kinds/list.ts'
import type { ConnectionState, Restarter } from './connections.ts'
import { Restarts, connectionStateAt } from './connections.ts'
import type { Hit, StruckCall } from './strike.ts'
import { Strike } from './strike.ts'
import { LatestItems } from '../../../src/base/collections/latest-items.ts'
import type { FaultSpan } from './spans.ts'

/** A fault and the number of answers it changed. */
export interface FaultReport {
  fault: Fault
  touched: number
}

const HIDDEN: Effect = {
  instead: ({ call, stage }) =>
    stage.refuse({ kind: 'no-such-execution', kickoffId: call.route?.kickoffId ?? '' }),
}

export class FaultSet {
  readonly marks = new FaultMarks()
  readonly #surroundings: Omit<FaultSurroundings, 'zeroMicros'>
  readonly #stage: FaultStage
  readonly #restarts: Restarts
  /** In the order in which they were added. */
  #all: readonly ActiveFault[] = []
  /** Those of requests, and those of connections. */
  #requests: readonly ActiveFault[] = []
  #connections: readonly ActiveFault[] = []
  /** When faults that were cleared had been on. */
  #cleared: FaultSpells[] = []
  /** The number of answers changed by faults that were cleared since. */
  readonly #clearedTouched = new Map<FaultKindName, number>()
  /** Executions that cannot be found yet, by ordinal, and the faults that hide them. */
  readonly #hidden = new Map<number, { active: ActiveFault; untilMicros: Micros }>()
  /** Requests seen while a fault could strike them. */
  readonly #requestsOf: Record<Operation, number> = {
    inputs: 0,
    kickoff: 0,
    status: 0,
    resume: 0,
  }
  readonly #pollsOf = new Map<number, number>()
  /** Faults of single executions: they count these alone. */
  readonly #own = new Map<number, readonly ActiveFault[]>()

  constructor(
    stage: FaultStage,
    surroundings: Omit<FaultSurroundings, 'zeroMicros'>,
    restart: Restarter,
  ) {
    this.#stage = stage
    this.#restarts = new Restarts(restart)
    this.#surroundings = surroundings
  }

  /** True if no fault can strike a request. */
  get quiet(): boolean {
    return this.#requests.length === 0 && this.#own.size === 0
  }

  /** True if there are no faults at all, not even those of connections. */
  get none(): boolean {
    return this.#all.length === 0
  }

  /**
   * Adds faults whose times count from `nowMicros`. A name that is taken gets the next free number
   * appended. `test`: they strike only its requests; null for all.
   */
  add(faults: readonly Fault[], nowMicros: Micros, test: string | null = null): FaultReport[] {
    return faults.map((fault) => {
      const named = { ...fault, name: this.#freeName(fault.name) }
      const surroundings = { ...this.#surroundings, zeroMicros: nowMicros, test }
      const active = new ActiveFault(named, surroundings)
      this.#have([...this.#all, active])
      this.#restarts.add(active, nowMicros)
      return reportOf(active)
    })
  }

  /**
   * Clears one fault, by its name or as `add` returned it, or all; returns how many. Answers they
   * changed stay marked. `test`: only those of this test.
   */
  clear(nowMicros: Micros, which?: string | Fault, test: string | null = null): number {
    this.settle(nowMicros)
    const stays = ({ fault, test: its }: ActiveFault): boolean =>
      (test !== null && its !== test) ||
      (which !== undefined && fault !== which && fault.name !== which)
    const gone = this.#all.filter((active) => !stays(active))
    for (const active of gone) countTouched(this.#clearedTouched, active)
    const spells = gone.map((active) => spellsOf(active, nowMicros, nowMicros))
    this.#cleared = [...this.#cleared, ...spells].slice(-CLEARED_KEPT)
    for (const [ordinal, { active }] of this.#hidden) {
      if (!stays(active)) this.#hidden.delete(ordinal)
    }
    this.#have(this.#all.filter(stays))
    this.#restarts.keep(stays)
    return gone.length
  }

  #have(all: readonly ActiveFault[]): void {
    this.#all = all
    this.#requests = all.filter(({ effect }) => effect !== null)
    this.#connections = all.filter(({ effect }) => effect === null)
  }

  /** Faults of the execution that this kickoff starts, whose times count from now. */
  addOwn(call: StruckCall, ordinal: number, faults: readonly Fault[]): void {
    const surroundings = { ...this.#surroundings, zeroMicros: call.nowMicros }
    const own = faults.map((fault) => new ActiveFault(fault, surroundings))
    this.#own.set(ordinal, own)
    const hits: Hit[] = []
    const ofKickoffs = own.filter(({ fault }) => definitionOf(fault.what).reach === KICKOFFS)
    this.#meet(ofKickoffs, call, ordinal, hits)
    if (hits.length > 0) (call.strike ??= new Strike([], ordinal)).add(hits)
  }

  /** The execution can no longer be asked for. */
  forget(ordinal: number): void {
    for (const active of this.#own.get(ordinal) ?? []) countTouched(this.#clearedTouched, active)
    this.#own.delete(ordinal)
    this.#hidden.delete(ordinal)
    this.#pollsOf.delete(ordinal)
    for (const { effect } of this.#requests) effect?.forget?.(ordinal)
  }

  list(test: string | null = null): FaultReport[] {
    return this.#all.filter((each) => test === null || test === each.test).map(reportOf)
  }

  /** Answers changed, and restarts, by kind; includes faults that were cleared. */
  touched(): Map<FaultKindName, number> {
    const touched = new Map(this.#clearedTouched)
    for (const active of [...this.#all, ...[...this.#own.values()].flat()]) {
      countTouched(touched, active)
    }
    return touched
  }

  /** When each fault was on, cleared ones first, each group in the order of adding. */
  spells(nowMicros: Micros): FaultSpells[] {
    const present = this.#all.map((active) => spellsOf(active, nowMicros, Infinity))
    return [...this.#cleared, ...present]
  }

  /** Performs all restarts that are due. */
  settle(nowMicros: Micros): void {
    this.#restarts.settle(nowMicros)
  }

  connectionState(nowMicros: Micros): ConnectionState {
    this.settle(nowMicros)
    return connectionStateAt(this.#connections, this.#restarts, nowMicros)
  }

  /** The strike on this request; null for none. Called once per request. */
  strike(call: Call): Strike | null {
    const operation = call.route?.operation ?? null
    if (operation === null || !this.#isAsked(call)) return null
    const number = this.#numberOf(operation, call.ordinal)
    const hits: Hit[] = this.#hiddenFrom(call)
    this.#meet(this.#requests, call, number, hits)
    if (call.ordinal !== undefined) {
      this.#meet(this.#own.get(call.ordinal) ?? [], call, number, hits)
    }
    return hits.length === 0 ? null : new Strike(hits, call.ordinal)
  }

  #meet(faults: readonly ActiveFault[], call: Call, number: number, hits: Hit[]): void {
    for (const active of faults) {
      const scene = active.strike(call, call.route!.operation!, number, this.#stage)
      if (scene !== null) hits.push({ active, effect: active.effect!, scene })
    }
  }

  /**
   * A request that is not a valid call of the operation, or lacks a valid token, is refused before
   * any fault could strike.
   */
  #isAsked(call: Call): boolean {
    if (operationOf(call) === null) return false
    const { token } = call
    const { tokens } = this.#stage
    return tokens === null || token === tokens.organization || token === tokens.user
  }

  /** The execution cannot be found yet, whatever the request asks for. */
  #hiddenFrom(call: Call): Hit[] {
    const hidden = call.ordinal === undefined ? undefined : this.#hidden.get(call.ordinal)
    if (hidden === undefined) return []
    if (call.nowMicros >= hidden.untilMicros) {
      this.#hidden.delete(call.ordinal!)
      return []
    }
    const random = this.#surroundings.random
    return [{ active: hidden.active, effect: HIDDEN, scene: { call, stage: this.#stage, random } }]
  }

  /**
   * Records which faults changed the finished answer. `kickoffId` is the execution's true id; null
   * for none.
   */
  mark(strike: Strike, call: Call, kickoffId: string | null): void {
    const hiding = strike.hiding()
    if (hiding !== null && call.ordinal === undefined && strike.ordinal !== undefined) {
      const { active, micros } = hiding
      const { acceptedMicros = call.nowMicros } = strike
      this.#hidden.set(strike.ordinal, { active, untilMicros: acceptedMicros + micros })
    }
    for (const active of strike.touching) {
      active.touched++
      this.marks.add(markOf(active, call, kickoffId), strike.ordinal)
    }
  }

  /** Of a poll, its number in its execution; of any other request, in its operation. */
  #numberOf(operation: Operation, ordinal: number | undefined): number {
    if (ordinal === undefined) return this.#requestsOf[operation]++
    const number = this.#pollsOf.get(ordinal) ?? 0
    this.#pollsOf.set(ordinal, number + 1)
    return number
  }

  #freeName(name: string): string {
    const taken = new Set(this.#all.map(({ fault }) => fault.name))
    if (!taken.has(name)) return name
    let number = 2
    while (taken.has(`${name} ${number}`)) number++
    return `${name} ${number}`
  }
}

function countTouched(
  byKind: Map<FaultKindName, number>,
  { fault: { what }, touched }: ActiveFault,
): void {
  byKind.set(what.kind, (byKind.get(what.kind) ?? 0) + touched)
}

function markOf(
  { fault }: ActiveFault,
  { request, route, nowMicros }: Call,
  kickoffId: string | null,
): FaultMark {
  return {
    fault: fault.name,
    operation: route?.operation ?? 'inputs',
    at_ms: nowMicros / MICROS_PER_MS,
    correlation: request.headers['x-correlation-id'] ?? null,
    kickoff_id: kickoffId,
  }
}

function reportOf({ fault, touched }: ActiveFault): FaultReport {
  return { fault, touched }
}

/** Records which fault changed which answer: the latest marks in order, searchable by execution. */
const MARKS_KEPT = 100_000

interface KeptMark {
  mark: FaultMark
  ordinal: number | undefined
}

export class FaultMarks {
  readonly #entries = new LatestItems<KeptMark>(MARKS_KEPT, (entry) => this.#forget(entry))
  readonly #byOrdinal = new Map<number, FaultMark[]>()

  add(mark: FaultMark, ordinal: number | undefined): void {
    this.#entries.add({ mark, ordinal })
    if (ordinal === undefined) return
    const others = this.#byOrdinal.get(ordinal)
    if (others === undefined) this.#byOrdinal.set(ordinal, [mark])
    else others.push(mark)
  }

  of(ordinal: number): readonly FaultMark[] | undefined {
    return this.#byOrdinal.get(ordinal)
  }

  all(): readonly FaultMark[] {
    return this.#entries.all().map(({ mark }) => mark)
  }

  /** Marks that are no longer kept. */
  get dropped(): number {
    return this.#entries.dropped
  }

  #forget({ ordinal }: KeptMark): void {
    if (ordinal === undefined) return
    const left = this.#byOrdinal.get(ordinal)?.slice(1) ?? []
    if (left.length === 0) this.#byOrdinal.delete(ordinal)
    else this.#byOrdinal.set(ordinal, left)
  }
}

/** The number of cleared faults kept: a test may add and clear faults without end. */
const CLEARED_KEPT = 1_000

function spellsOf(
  { fault, spans }: ActiveFault,
  nowMicros: Micros,
  endMicros: Micros,
): FaultSpells {
  return {
    fault: fault.name,
    kind: fault.what.kind,
    always: isAlwaysOn(fault),
    spells: spans.past(nowMicros).map(({ fromMicros, untilMicros }: FaultSpan) => {
      const toMicros = Math.min(untilMicros, endMicros)
      const over = toMicros <= nowMicros
      return {
        from_ms: fromMicros / MICROS_PER_MS,
        to_ms: over ? toMicros / MICROS_PER_MS : null,
      }
    }),
  }
}
