/** The names that an answer with 422 says are missing. */
import type { Answer } from '../answer.ts'
import { asObject, parseJson } from '../json.ts'

/** A target may list many names, and long ones. */
const MOST_NAMES = 100
const MOST_CHARACTERS = 200
const MOST_TEXT = 10_000

/** Live deployments write `{"detail":"Missing inputs: audience, topic"}`. */
const PLATFORM_DETAIL = /^Missing inputs: (.+)$/

/**
 * Reads `details.missing_inputs` (the vendor's documents), `detail` as live deployments write it,
 * and the list of FastAPI's own validation, whose entries are located by `loc`. Empty when the
 * answer names nothing.
 */
export function missingInputsIn(answer: Answer): readonly string[] {
  if (answer.kind === 'failure') return []
  const parsed = parseJson(answer.body)
  const body = parsed.ok ? asObject(parsed.value) : undefined
  const { detail } = body ?? {}
  const documented = asObject(body?.['details'])?.['missing_inputs']
  const names = [...listOf(documented), ...namesInText(detail), ...listOf(detail).map(located)]
  return names
    .filter((name) => typeof name === 'string' && name.length <= MOST_CHARACTERS)
    .slice(0, MOST_NAMES) as string[]
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function namesInText(detail: unknown): readonly string[] {
  if (typeof detail !== 'string' || detail.length > MOST_TEXT) return []
  return PLATFORM_DETAIL.exec(detail)?.[1]?.split(', ') ?? []
}

/** `{"type":"missing","loc":["body","inputs","topic"]}` is about `topic`. */
function located(entry: unknown): unknown {
  const { type, loc } = asObject(entry) ?? {}
  return type === 'missing' ? listOf(loc)[2] : undefined
}
