/** What executions cost: the prices of a plan, and the tokens that the target reports. */
import type { TokenUsage } from '../crew/usage.ts'
import type { BudgetPlan, ModelPrices, PricesPlan } from './plan.ts'

/** Whether a budget bounds what kickoffs cost. */
export function boundsSpending({ kickoffs, cost }: Pick<BudgetPlan, 'kickoffs' | 'cost'>): boolean {
  return kickoffs !== null || cost !== undefined
}

/** In millionths of the currency. */
export interface Cost {
  micros: number
  /** It costs no more: all that has a price is reported. */
  isWhole: boolean
}

/**
 * Null where nothing is known: the model that the target names has no price, or there are no
 * prices. Cached input that is not reported counts as not cached.
 */
export function costOf(usage: TokenUsage, prices: PricesPlan | undefined): Cost | null {
  const price = prices === undefined ? null : priceFor(usage.model, prices)
  if (price === null) return null
  const { inputTokens, outputTokens, totalTokens } = usage
  const { input, output, cached } = price
  if (inputTokens === null && outputTokens === null && totalTokens !== null) {
    // Where both cost the same, the total suffices.
    return { micros: Math.round(totalTokens * Math.min(input, output)), isWhole: input === output }
  }
  const fromCache = Math.min(usage.cachedTokens ?? 0, inputTokens ?? 0)
  const fresh = (inputTokens ?? 0) - fromCache
  return {
    micros: Math.round(fresh * input + fromCache * cached + (outputTokens ?? 0) * output),
    isWhole: inputTokens !== null && outputTokens !== null,
  }
}

/**
 * By the name, else by the name without its date or version: `gpt-4o` for `gpt-4o-2024-08-06`, and
 * not for `gpt-4o-mini`; else the price of every model.
 */
function priceFor(model: string | null, { every, models }: PricesPlan): ModelPrices | null {
  if (model === null) return every
  const undated = model.replace(DATE_OR_VERSION, '')
  const named = [model, undated].find((name) => Object.hasOwn(models, name))
  return named === undefined ? every : models[named]!
}

/** `-2024-08-06`, `-20241022`, `-0613`, `-latest`. */
const DATE_OR_VERSION = /-(?:\d{4}-\d{2}-\d{2}|\d{3,8}|latest)$/
