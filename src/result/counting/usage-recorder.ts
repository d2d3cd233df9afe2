/** Counts what executions used, and corrects the counts as pushes report more. */
import type { PushLine, RunLine } from '../../execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import type { Used } from '../../execution/record/used.ts'
import { UsedByPushes } from '../../execution/record/used.ts'
import { emptyColumns } from '../../execution/record/columns.ts'
import type { PricesPlan } from '../../scenario/plan.ts'
import { costOf } from '../../scenario/prices.ts'
import { Sketch } from './sketch.ts'
import type { Metered, PartUsage, CostPart } from './tallies/usage.ts'
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
  readonly #used = new UsedByPushes(withoutPolls)

  /** `meter` is called for each execution of the measured window that reports tokens. */
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
    this.#whole.record(record)
    this.#count(record, this.#used.ended(record, this.#listens), 1)
  }

  correctUsage(line: PushLine): void {
    const corrected = this.#used.pushed(line)
    if (corrected === null) return
    this.#count(corrected.record, corrected.before, -1)
    this.#count(corrected.record, corrected.after, 1)
  }

  #count(record: ExecutionRecord, used: Used | null, times: Metered['times']): void {
    if (used === null) return
    const { usage, isWhole } = used
    const cost = costOf(usage, this.#prices)
    const ofAll = cost && { ...cost, isWhole: isWhole && cost.isWhole }
    const metered = { usage, isWhole, cost: ofAll, times }
    const { model } = usage
    if (model !== null && this.#models.size < MOST_MODELS) this.#models.add(model)
    if (this.isPriced && cost === null && (model === null || this.#models.has(model))) {
      const count = (this.#unpriced.get(model) ?? 0) + times
      if (count === 0) this.#unpriced.delete(model)
      else this.#unpriced.set(model, count)
    }
    this.#whole.meter(record, metered)
    if (!record.warmUp) this.#meter(record, metered)
  }
}

function withoutPolls(record: ExecutionRecord): ExecutionRecord {
  return { ...record, polls: emptyColumns(), changes: [] }
}
