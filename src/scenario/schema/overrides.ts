/**
 * What is read of a scenario before it is checked: the values of `--set`, and the files that it
 * names.
 */
import { isObject } from '../../crew/json.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { demandNone } from '../../base/mistakes.ts'
import type { RecordedArrivals } from '../arrivals/replay.ts'
import { isRows } from '../author/inputs.ts'
import type { Scenario } from '../define.ts'
import type { InputRecord } from '../inputs.ts'
import type { RecordingSource } from './arrivals.ts'
import { arrivals as arrivalsSchema } from './arrivals.ts'

/**
 * Names under these keys are chosen by the author and may contain dots:
 * `thresholds.kickoff.response.p95` has two steps.
 */
const FREE_KEYS = new Set(['thresholds', 'checks', 'headers', 'tags'])

/**
 * A copy of `scenario` with each value set; the original is not changed. A path is `arrivals.rate`
 * or `arrivals.steps[0].rate`; a value that parses as JSON is JSON, any other is text (`60s`).
 * Missing objects on the path are created; unknown keys are left to the check that follows. Throws
 * UserError for a path through something other than an object or a list.
 */
export function applyOverrides(scenario: unknown, set: Readonly<Record<string, string>>): unknown {
  const mistakes: Mistake[] = []
  let changed = scenario
  for (const [path, value] of Object.entries(set)) {
    try {
      changed = withValue(changed, steps(path), readValue(value))
    } catch (error) {
      if (!(error instanceof BlockedPath)) throw error
      mistakes.push({ source: '--set', path, problem: error.message })
    }
  }
  demandNone(mistakes)
  return changed
}

class BlockedPath extends Error {}

function steps(path: string): string[] {
  const [first = '', ...rest] = path.split('.')
  if (FREE_KEYS.has(first) && rest.length > 0) return [first, rest.join('.')]
  return path.split(/[.[\]]/).filter((step) => step !== '')
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function withValue(container: unknown, path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (Array.isArray(container)) {
    const at = Number(step)
    if (!Number.isInteger(at) || at < 0 || at >= container.length) {
      throw new BlockedPath(`expected an index from 0 to ${container.length - 1}, found "${step}"`)
    }
    return container.with(at, withValue(container[at], rest, value))
  }
  if (container !== undefined && !isObject(container)) {
    throw new BlockedPath(`"${step}" is inside a ${typeof container}; expected an object or a list`)
  }
  const entries = Object.entries(container ?? {}).filter(([key]) => key !== step)
  const before = Object.entries(container ?? {}).find(([key]) => key === step)?.[1]
  return Object.fromEntries([...entries, [step, withValue(before, rest, value)]])
}

/** The contents of the files that a scenario names. */
export interface ScenarioFiles {
  /** The rows of `inputs.rows`. */
  rows?: readonly InputRecord[]
  /** The arrivals of `arrivals.replay`, as they were recorded. */
  replay?: RecordedArrivals
}

/**
 * The files that a scenario names, after overrides, for callers that read them before
 * `planScenario`; null for a file that it does not name, and for arrivals that are mistaken.
 */
export function namedFiles(
  scenario: unknown,
  set: Readonly<Record<string, string>> = {},
): { rows: string | null; replay: { path: string; recording: RecordingSource | null } | null } {
  const { inputs, arrivals } = (applyOverrides(scenario, set) ?? {}) as Partial<Scenario>
  const { data } = arrivalsSchema.safeParse(arrivals)
  return {
    rows: isRows(inputs) ? inputs.rows : null,
    replay: data?.kind === 'replay' ? { path: data.path, recording: data.recording } : null,
  }
}
