/** The files that a scenario names; whoever has a disk reads them. */
import type { InputRecord, Scenario } from '../define.ts'
import { isRecord, isRows } from '../author/inputs.ts'
import { applyOverrides } from './overrides.ts'

/** What the files that a scenario names hold. */
export interface ScenarioFiles {
  /** Of `inputs.rows`. */
  rows?: readonly InputRecord[]
  /** Of `arrivals.replay`: rising, from the run's zero, in the crew's own time. */
  replayOffsetsMicros?: readonly number[]
}

/**
 * The files that a scenario names, after overrides, for whoever reads them before `planScenario`;
 * null where it names none.
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
