/**
 * The tokens that an execution used, as the target reports them: `usage_metrics` of a status
 * answer, `token_usage` of a push or of a result. A count that is missing stays unknown.
 */
import { excerpt } from './excerpt.ts'
import { asNumber, asObject } from './json.ts'
import type { JsonObject } from './json.ts'

export interface TokenUsage {
  inputTokens: number | null
  outputTokens: number | null
  /** The part of the input that was read from a cache. */
  cachedTokens: number | null
  totalTokens: number | null
  /** The model that the target names. */
  model: string | null
}

/** Null if the body reports no count, or nothing but zeros, as crews do that count nothing. */
export function readUsage(body: JsonObject): TokenUsage | null {
  const usage =
    asObject(body['usage_metrics']) ??
    asObject(body['token_usage']) ??
    asObject(asObject(body['result'])?.['token_usage'])
  if (usage === undefined) return null
  const input = asTokens(usage['prompt_tokens'])
  const output = asTokens(usage['completion_tokens'])
  const total = asTokens(usage['total_tokens'])
  const cachedTokens = asTokens(usage['cached_prompt_tokens'])
  // Zeros beside a total are those of a crew that counts nothing else.
  const isSplit = Boolean(input) || Boolean(output)
  if (!isSplit && !total) return null
  const inputTokens = isSplit ? (input ?? rest(total, output)) : null
  const outputTokens = isSplit ? (output ?? rest(total, input)) : null
  const both = inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens
  const totalTokens = total ?? both
  const { model } = usage
  const named = typeof model === 'string' && model.trim() !== '' ? excerpt(model) : null
  return { inputTokens, outputTokens, cachedTokens, totalTokens, model: named }
}

/** What a count leaves of the total; null if one of them is unknown, or they contradict. */
function rest(total: number | null, count: number | null): number | null {
  return total === null || count === null || count > total ? null : total - count
}

/** No execution uses more; sums of so many stay exact. */
const MOST_TOKENS = 1e12

/** Null for what is no number of tokens. */
function asTokens(value: unknown): number | null {
  const count = asNumber(value)
  return count === null || count < 0 || count > MOST_TOKENS ? null : Math.round(count)
}
