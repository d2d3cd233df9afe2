/**
 * Binds a bundle to k6. This file can be loaded only inside k6; the bundle's own entry re-exports
 * its result.
 */
import { SharedArray } from 'k6/data'
import { vu } from 'k6/execution'
import type { Options } from 'k6/options'
import { k6World } from '../calls.ts'
import type { Bundled, Measure, Shared } from './script.ts'
import { createScript } from './script.ts'

/** The long lists of a plan, created at most once per process. */
interface Lists {
  rows: () => Shared['rows'][number][]
  offsetsMicros: () => number[]
}

/**
 * Called in k6's init context, by each VU. `measure` receives every record; null if k6 measures
 * nothing.
 */
export function k6Script(
  bundled: Bundled,
  lists: Lists,
  scenario: unknown,
  measure: Measure | null,
): { options: Options; iteration: () => Promise<void> } {
  const shared = sharedOf(lists)
  const made = createScript(k6World, __ENV, { bundled, shared, scenario, measure })
  const { options, iteration } = made
  return { options, iteration: async () => iteration(vu.idInTest) }
}

function sharedOf(lists: Lists): Shared {
  const [drawn = ''] = new SharedArray('run id', () => [drawnRunId()])
  return {
    rows: new SharedArray('rows', lists.rows),
    offsetsMicros: new SharedArray('arrivals', lists.offsetsMicros),
    runId: drawn,
  }
}

/** Eight hex digits. */
function drawnRunId(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')
}
