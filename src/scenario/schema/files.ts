/** The files that a scenario names; callers with file access read them. */
import type { Scenario } from '../define.ts'
import type { InputRecord } from '../inputs.ts'
import { isRecord, isRows } from '../author/inputs.ts'
import { applyOverrides } from './overrides.ts'

/** The contents of the files that a scenario names. */
export interface ScenarioFiles {
  /** The rows of `inputs.rows`. */
  rows?: readonly InputRecord[]
  /**
   * The offsets of `arrivals.replay` in rising order, from the run's zero, in the crew's own time.
   */
  replayOffsetsMicros?: readonly number[]
}

/**
 * The files that a scenario names, after overrides, for callers that read them before
 * `planScenario`; null for a file that it does not name.
 */
export function namedFiles(
  scenario: unknown,
  set: Readonly<Record<string, string>> = {},
): { rows: string | null; replay: string | null } {
  const { inputs, arrivals } = (applyOverrides(scenario, set) ?? {}) as Partial<Scenario>
  const replay = isRecord(arrivals) ? arrivals['replay'] : null
  return {
    rows: isRows(inputs) ? inputs.rows : null,
    replay: typeof replay === 'string' ? replay : null,
  }
}
