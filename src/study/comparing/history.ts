/**
 * The history of gates: one line of JSON per gate, in any order, so that git can merge it by lines.
 */
import { z } from 'zod'
import type { Metric } from '../../result/document.ts'
import { quantity } from '../../result/document.ts'
import type { SideMetrics } from './metrics.ts'
import { measuredOf, medianOfRuns } from './side.ts'
import { parsedJson } from '../../base/text.ts'

export const HISTORY_FILE = 'history.ndjson'

const historyLine = z.object({
  schema: z.literal('crewload/gate-line/1'),
  /** Identifies the gate: a line that was merged twice counts once. */
  id: z.string(),
  at: z.iso.datetime(),
  commit: z.string().nullable(),
  scenario: z.string(),
  decision: z.enum(['pass', 'fail', 'inconclusive', 'baseline']),
  runs: z.int(),
  /**
   * The median of the candidate's runs by judged metric; `never` if most of them never came to it,
   * null if none measured it.
   */
  metrics: z.record(
    z.string(),
    z.object({
      unit: quantity.shape.unit,
      value: z.union([z.number(), z.literal('never')]).nullable(),
    }),
  ),
})

export type HistoryLine = z.infer<typeof historyLine>

export interface History {
  /** The gates, in order of time. */
  gates: HistoryLine[]
  /** The number of lines that are not gates, such as the marks that a merge left behind. */
  ignored: number
}

/** Reads the lines of a file; of two with one id, the last counts. */
export function parseHistory(text: string): History {
  const byId = new Map<string, HistoryLine>()
  let ignored = 0
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const gate = historyLine.safeParse(parsedJson(line)).data
    if (gate === undefined) ignored++
    else byId.set(gate.id, gate)
  }
  const gates = [...byId.values()].toSorted(
    (a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.id < b.id ? -1 : 1),
  )
  return { gates, ignored }
}

/** Returns the medians of a candidate's runs, which are kept in its line. */
export function medians(runs: SideMetrics, names: readonly string[]): HistoryLine['metrics'] {
  return Object.fromEntries(
    names.flatMap((name) => {
      const own: Metric[] = runs.flatMap((run) => run[name] ?? [])
      const [first] = own
      if (first === undefined) return []
      return [[name, { unit: first.unit, value: medianOfRuns(measuredOf(own)) }]]
    }),
  )
}
