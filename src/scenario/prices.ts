/** What executions cost: the prices of a plan, and the tokens that the target reports. */
import type { TokenUsage } from '../crew/usage.ts'
import type { BudgetPlan, ModelPrices, PricesPlan } from './plan.ts'

/** Whether a budget bounds what kickoffs cost. */
export function boundsSpending({ kickoffs, cost }: Pick<BudgetPlan, 'kickoffs' | 'cost'>): boolean {
  return kickoffs !== null || cost !== undefined
}

/**
 * Null where it is not known: no tokens are reported, or the model that the target names has no
 * price. Cached input that is not reported counts as not cached.
 */
export function costOf(
  usage: TokenUsage | null | undefined,
  prices: PricesPlan | undefined,
): number | null {
  const price = usage == null || prices === undefined ? null : priceFor(usage.model, prices)
  if (usage == null || price === null) return null
  const { inputTokens, outputTokens, totalTokens } = usage
  const { input, output, cached } = price
  if (inputTokens === null || outputTokens === null) {
    // Where both cost the same, the total suffices.
    return totalTokens === null || input !== output ? null : Math.round(totalTokens * input)
  }
  const fromCache = Math.min(usage.cachedTokens ?? 0, inputTokens)
  const fresh = inputTokens - fromCache
  return Math.round(fresh * input + fromCache * cached + outputTokens * output)
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
