/**
 * What a hypothesis about a limiter is: each kind's file says all of this; `list.ts` names it.
 *
 * A model is asked one question: from which time on can a group that begins at `firstMs` get `k`
 * requests in? Every limiter lets in more as time goes by without requests, so that this time says
 * all. How far an observed answer is from it, in milliseconds, is what is held against the model.
 */
import type { Random } from '../../../../../base/random.ts'
import type { DelayTurn } from '../evidence/timing.ts'
import type { RequestGroup, Grouped } from '../evidence/groups.ts'
import type { LimiterKind } from '../../../../frame/limiter-kinds.ts'

/** What a kind has no use for is 0. */
export interface Parameters {
  /** Requests: of a window, of a bucket that is full, or in flight. Whole. */
  limit: number
  /** The window; for a bucket, the time that one token takes to come. */
  windowMs: number
  /** A time at which a window begins, from 0 to `windowMs`. */
  phaseMs: number
  blockMs: number
}

export interface Model<State extends object> {
  /** For so long a group matters to what comes after it. */
  readonly memoryMs: number
  /**
   * A refusal puts off the time at which the next is let in: only the first of a group is judged.
   */
  readonly raises: boolean
  /** Where requests may be held back in turn: what passes from one to the next. */
  readonly turnMs: number | null
  /** It asks when requests leave. Nothing else needs `leavesMs` of a group. */
  readonly asksLeaves: boolean
  fresh(): State
  copy(state: State): State
  /**
   * Earliest time at which `k` requests of a group that begins at `firstMs` can have been let in;
   * -Infinity when they could at any time.
   */
  timeOf(state: State, k: number, group: RequestGroup): number
  /**
   * Takes in what was observed: what was let in counts, whatever the model would have said.
   * `refused`: how many refusals of the group are put down to this limit.
   */
  advance(state: State, group: RequestGroup, refused: number): void
  /** Requests that count against the limit as of the start of the group. */
  used(state: State, firstMs: number): number
}

type ModelTraits = Pick<Model<object>, 'raises' | 'turnMs' | 'asksLeaves'>

/**
 * Every model is made here: a study takes about a tenth less time when all of them are objects of
 * one shape.
 */
export function modelOf<State extends object>({
  memoryMs,
  raises = false,
  turnMs = null,
  asksLeaves = false,
  fresh,
  copy,
  timeOf,
  advance,
  used,
}: Omit<Model<State>, keyof ModelTraits> & Partial<ModelTraits>): Model<State> {
  return { memoryMs, raises, turnMs, asksLeaves, fresh, copy, timeOf, advance, used }
}

/** What a replay of unlimited states and the order of events suggests. */
export interface Clues {
  groups: readonly RequestGroup[]
  /** From a refusal to the next acceptance: some time in it, a request began to be let in. */
  readmissions: readonly { fromMs: number; toMs: number }[]
  sigmaMs: number
  turn: DelayTurn | null
  random: Random
  /** What headers promise, where they are followed. */
  promise: Grouped['promise']
  /** The limits at which a model with these parameters would have refused what was refused. */
  limitsOf(parameters: Parameters): readonly number[]
}

export interface Hypothesis {
  /** Unique; for tests and traces. */
  readonly name: string
  readonly kind: LimiterKind
  readonly aligned: 'calendar' | 'first-hit' | 'last-hit' | null
  readonly countsRefused: boolean
  /** Natural logarithm of how common it is. */
  readonly prior: number
  /**
   * It is taken into account only where headers count: without them it can be fitted to what
   * commoner limiters answer.
   */
  readonly needsCounts?: boolean
  /** A smaller limit is another hypothesis already. Default: 0. */
  readonly leastLimit?: number
  /** Which parameters it has; the others stay 0. */
  readonly has: readonly (keyof Parameters)[]
  model(parameters: Parameters, sigmaMs: number): Model<object>
  /**
   * Logarithm of the likelihood, for one that has chances and no state; it takes part in no plan.
   */
  fitOf?(groups: readonly RequestGroup[]): number
  /**
   * Parameters that the structure of the evidence suggests; of more than `most`, some at random.
   */
  seeds(clues: Clues, most: number): Parameters[]
}

/** Those of `and`, else those of `some`, and 0 for the others. */
export function parametersOf(some: Partial<Parameters>, and: Partial<Parameters> = {}): Parameters {
  return {
    limit: and.limit ?? some.limit ?? 0,
    windowMs: and.windowMs ?? some.windowMs ?? 0,
    phaseMs: and.phaseMs ?? some.phaseMs ?? 0,
    blockMs: and.blockMs ?? some.blockMs ?? 0,
  }
}
