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

/** Null if the body reports no count at all. */
export function readUsage(body: JsonObject): TokenUsage | null {
  const told =
    asObject(body['usage_metrics']) ??
    asObject(body['token_usage']) ??
    asObject(asObject(body['result'])?.['token_usage'])
  if (told === undefined) return null
  const inputTokens = asTokens(told['prompt_tokens'])
  const outputTokens = asTokens(told['completion_tokens'])
  const cachedTokens = asTokens(told['cached_prompt_tokens'])
  const both = inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens
  const totalTokens = asTokens(told['total_tokens']) ?? both
  if (inputTokens === null && outputTokens === null && totalTokens === null) return null
  const { model } = told
  const named = typeof model === 'string' && model.trim() !== '' ? excerpt(model) : null
  return { inputTokens, outputTokens, cachedTokens, totalTokens, model: named }
}

/** Null for what is no number of tokens. */
function asTokens(value: unknown): number | null {
  const count = asNumber(value)
  return count === null || count < 0 || count > Number.MAX_SAFE_INTEGER ? null : Math.round(count)
}
