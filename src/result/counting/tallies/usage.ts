/** Counts the tokens that executions report, and what they cost. */
import type { TokenUsage } from '../../../crew/usage.ts'
import { mayCost } from '../../../execution/record/readings.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { Used } from '../../../execution/record/used.ts'
import type { Cost } from '../../../scenario/prices.ts'
import type { Counting } from '../../statistics/sample.ts'

/** The counts that a target reports, by the words of metrics. */
export const TOKEN_FIELDS = {
  input: 'inputTokens',
  output: 'outputTokens',
  cached: 'cachedTokens',
  total: 'totalTokens',
} as const satisfies Readonly<Record<string, keyof TokenUsage>>
export type TokenKind = keyof typeof TOKEN_FIELDS
export const TOKEN_KINDS = Object.keys(TOKEN_FIELDS) as TokenKind[]

/** What an execution used. */
export interface Metered extends Used {
  /** Null where it is not known. */
  cost: Cost | null
  /** -1 takes back what was metered before, where a push reports more. */
  times: 1 | -1
}

/** The executions whose cost is shown separately; one can be of several. */
export const COST_PARTS = ['total', 'completed', 'failed', 'stuck', 'retried'] as const
export type CostPart = (typeof COST_PARTS)[number]

function costPartsOf({ outcome, kickoff }: ExecutionRecord): CostPart[] {
  const parts: CostPart[] = ['total']
  if (outcome === 'completed' || outcome === 'failed' || outcome === 'stuck') parts.push(outcome)
  if (kickoff.retry.includes(1)) parts.push('retried')
  return parts
}

/** Sums over the executions of one part. */
export interface PartUsage {
  /** Those that cost, or may; fewer report tokens, and of fewer the cost is known. */
  executions: number
  reported: number
  priced: number
  /** In millionths of the currency. */
  costMicros: number
  /** The least that those with a part of a report cost. */
  partMicros: number
  /** Of those that report it, and how many report all of it. */
  tokens: Record<TokenKind, number>
  whole: Record<TokenKind, number>
}
const SUMS = ['executions', 'reported', 'priced', 'costMicros', 'partMicros'] as const

interface UsageSamples<S> {
  tokens: Readonly<Record<TokenKind, S>>
  cost: S
}

/**
 * Its samples and sums are made when they are first asked for: a run has a tally for each of a
 * hundred parts of it, and most targets report no tokens.
 */
export class UsageTally<S extends Counting = Counting> {
  readonly #createSample: () => S
  #samples: UsageSamples<S> | null = null
  #parts: Record<CostPart, PartUsage> | null = null

  constructor(createSample: () => S) {
    this.#createSample = createSample
  }

  get tokens(): Readonly<Record<TokenKind, S>> {
    return this.#sampled().tokens
  }

  get cost(): S {
    return this.#sampled().cost
  }

  get parts(): Readonly<Record<CostPart, PartUsage>> {
    return (this.#parts ??= {
      total: nothingUsed(),
      completed: nothingUsed(),
      failed: nothingUsed(),
      stuck: nothingUsed(),
      retried: nothingUsed(),
    })
  }

  /** It ended; `meter` says what it used, if that is known. */
  record(record: ExecutionRecord): void {
    if (!mayCost(record)) return
    for (const part of costPartsOf(record)) this.parts[part].executions++
  }

  meter(record: ExecutionRecord, { usage, isWhole, cost, times }: Metered): void {
    const parts = costPartsOf(record).map((part) => this.parts[part])
    const isPriced = cost?.isWhole === true
    const change = times === 1 ? 'record' : 'remove'
    for (const part of parts) {
      part.reported += times
      if (isPriced) part.priced += times
      part[isPriced ? 'costMicros' : 'partMicros'] += times * (cost?.micros ?? 0)
    }
    if (isPriced) this.cost[change](cost.micros)
    for (const kind of TOKEN_KINDS) {
      const count = usage[TOKEN_FIELDS[kind]]
      if (count === null) continue
      if (isWhole) this.tokens[kind][change](count)
      for (const { tokens, whole } of parts) {
        tokens[kind] += times * count
        if (isWhole) whole[kind] += times
      }
    }
  }

  add(other: UsageTally<S>): void {
    if (other.#samples !== null) {
      this.cost.add(other.cost)
      for (const kind of TOKEN_KINDS) this.tokens[kind].add(other.tokens[kind])
    }
    if (other.#parts === null) return
    for (const name of COST_PARTS) {
      const [part, its] = [this.parts[name], other.parts[name]]
      for (const sum of SUMS) part[sum] += its[sum]
      for (const kind of TOKEN_KINDS) {
        part.tokens[kind] += its.tokens[kind]
        part.whole[kind] += its.whole[kind]
      }
    }
  }

  #sampled(): UsageSamples<S> {
    const create = this.#createSample
    return (this.#samples ??= {
      tokens: { input: create(), output: create(), cached: create(), total: create() },
      cost: create(),
    })
  }
}

function nothingUsed(): PartUsage {
  return {
    executions: 0,
    reported: 0,
    priced: 0,
    costMicros: 0,
    partMicros: 0,
    tokens: { input: 0, output: 0, cached: 0, total: 0 },
    whole: { input: 0, output: 0, cached: 0, total: 0 },
  }
}
