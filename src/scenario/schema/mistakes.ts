/**
 * Turns the validator's issues into the user's mistakes: where, what was found, what is allowed,
 * what was probably meant.
 */
import type { z } from 'zod'
import type { Mistake } from '../../base/mistakes.ts'
import { nearestName, nearTo } from '../../base/mistakes.ts'
import { KNOWN_KEYS } from '../quantities.ts'
import { isSecretPath } from '../../base/options/secret-paths.ts'

const MAX_FOUND_CHARACTERS = 60

/**
 * One mistake for each issue, and one for each unknown key. `root` is the checked value, from which
 * the values found are read.
 */
export function toMistakes(
  issues: readonly z.core.$ZodIssue[],
  root: unknown,
  source: string,
): Mistake[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? unknownKeys(issue, source)
      : [{ source, path: pathText(issue.path), ...mistakeOf(issue, valueAt(root, issue.path)) }],
  )
}

/** `arrivals.steps[1].rate`; the name of a metric or a check keeps its dots. */
function pathText(path: readonly PropertyKey[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else text += text === '' ? String(key) : `.${String(key)}`
  }
  return text
}

function unknownKeys(issue: z.core.$ZodIssueUnrecognizedKeys, source: string): Mistake[] {
  const known = KNOWN_KEYS.get(issue.keys) ?? []
  return issue.keys.map((key) => ({
    source,
    path: pathText([...issue.path, key]),
    problem: issue.message,
    ...nearTo(key, known),
  }))
}

function mistakeOf(
  issue: z.core.$ZodIssue,
  found: unknown,
): Pick<Mistake, 'problem' | 'found' | 'nearest'> {
  const nearest = hintOf(issue, found)
  const hint = nearest === undefined ? {} : { nearest }
  if (found === undefined) return { problem: `missing, ${issue.message}`, ...hint }
  const shown = mayShow(issue.path, found) ? { found: foundText(found) } : {}
  return { problem: issue.message, ...shown, ...hint }
}

/** Of inputs, the options beside them, and that there are none. */
function mayShow(path: readonly PropertyKey[], found: unknown): boolean {
  if (!isSecretPath(pathText(path))) return true
  const isOption = path.length > 1 && typeof path.at(-1) === 'string'
  return path[0] === 'inputs' && (isOption || (Array.isArray(found) && found.length === 0))
}

/** The hint of `choice` or the thresholds, or else the nearest of the allowed values. */
function hintOf(issue: z.core.$ZodIssue, found: unknown): string | undefined {
  if (issue.code === 'invalid_value') return nearestName(String(found), issue.values.map(String))
  const hint: unknown = issue.code === 'custom' ? issue.params?.['nearest'] : undefined
  return typeof hint === 'string' ? hint : undefined
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.entries(value).find(([name]) => name === String(key))?.[1]
  }
  return value
}

function foundText(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= MAX_FOUND_CHARACTERS ? text : `${text.slice(0, MAX_FOUND_CHARACTERS)}...`
}
