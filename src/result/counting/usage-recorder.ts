/**
 * Finds out what each execution used: by the answers of its polls, else by a push, which may come
 * before its end or after.
 */
import type { TokenUsage } from '../../crew/usage.ts'
import type { PushLine, RunLine } from '../../execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import { usageOf } from '../../execution/record/readings.ts'
import { emptyColumns } from '../../execution/record/request-columns.ts'
import type { PricesPlan } from '../../scenario/plan.ts'
import { costOf } from '../../scenario/prices.ts'
import { Sketch } from './sketch.ts'
import type { Metered, PartUsage } from './tallies/usage.ts'
import type { CostPart } from './tallies/usage.ts'
import { UsageTally } from './tallies/usage.ts'

export interface UsageAccount {
  parts: Readonly<Record<CostPart, PartUsage>>
  /** The models that the target names. */
  models: ReadonlySet<string>
  /** Executions whose model has no price, by model; null names none. */
  unpriced: ReadonlyMap<string | null, number>
}

/** Names of models beyond these are not kept. */
const MOST_MODELS = 20

export class UsageRecorder {
  readonly #meter: (record: ExecutionRecord, metered: Metered) => void
  readonly #whole = new UsageTally(() => new Sketch(2))
  readonly #models = new Set<string>()
  readonly #unpriced = new Map<string | null, number>()
  #prices: PricesPlan | undefined
  #listens = false
  /** By kickoff id: what a push said before the end, and what has ended without a report. */
  readonly #pushed = new Map<string, TokenUsage>()
  readonly #silent = new Map<string, ExecutionRecord>()

  /** `meter` is called once for each execution of the measured window that reports tokens. */
  constructor(meter: (record: ExecutionRecord, metered: Metered) => void) {
    this.#meter = meter
  }

  get isPriced(): boolean {
    return this.#prices !== undefined
  }

  get account(): UsageAccount {
    return { parts: this.#whole.parts, models: this.#models, unpriced: this.#unpriced }
  }

  began({ plan }: RunLine): void {
    this.#prices = plan.prices
    this.#listens ||= plan.webhooks !== undefined
  }

  ended(record: ExecutionRecord): void {
    const { kickoffId } = record
    this.#whole.record(record)
    const used = usageOf(record, this.#pushed.get(kickoffId ?? ''))
    if (used !== null) this.#found(record, used)
    else if (this.#listens && kickoffId !== null) this.#silent.set(kickoffId, withoutPolls(record))
  }

  push({ kickoffId, usage }: PushLine): void {
    if (kickoffId === null || usage === undefined || this.#pushed.has(kickoffId)) return
    this.#pushed.set(kickoffId, usage)
    const ended = this.#silent.get(kickoffId)
    if (ended === undefined) return
    this.#silent.delete(kickoffId)
    this.#found(ended, { usage, isWhole: true })
  }

  #found(record: ExecutionRecord, { usage, isWhole }: Omit<Metered, 'cost'>): void {
    const cost = costOf(usage, this.#prices)
    const metered = { usage, isWhole, cost: cost && { ...cost, isWhole: isWhole && cost.isWhole } }
    const { model } = usage
    if (model !== null && this.#models.size < MOST_MODELS) this.#models.add(model)
    if (this.isPriced && cost === null && (model === null || this.#models.has(model))) {
      this.#unpriced.set(model, (this.#unpriced.get(model) ?? 0) + 1)
    }
    this.#whole.meter(record, metered)
    if (!record.warmUp) this.#meter(record, metered)
  }
}

function withoutPolls(record: ExecutionRecord): ExecutionRecord {
  return { ...record, polls: emptyColumns(), changes: [] }
}
