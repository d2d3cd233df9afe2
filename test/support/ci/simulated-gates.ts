/** Carries out gates over made-up runs, from the first look to the decision. */
import type { Random } from '../../../src/base/random.ts'
import { looksOf } from '../../../src/result/statistics/comparing/levels.ts'
import type { SideMetrics } from '../../../src/study/comparing/metrics.ts'
import { DEFAULT_JUDGED } from '../../../src/study/comparing/options.ts'
import { lookAt } from '../../../src/study/comparing/gate/analyse/analyse.ts'
import { FEWEST_RUNS } from '../../../src/study/comparing/options.ts'
import type { GateTerms } from '../../../src/study/comparing/gate/sentences.ts'
import type { Crew } from './gates.ts'
import { runsInOrder, runsOf } from './gates.ts'
import { runsWith } from '../../study/comparing/comparison/sample-comparisons.ts'

export interface Ended {
  decision: 'pass' | 'fail' | 'inconclusive'
  /** The number of runs per side when it was decided. */
  runs: number
}

interface Sides {
  base: SideMetrics
  next: SideMetrics
}

function termsOf(runs: number): GateTerms {
  const level = 0.01
  const smallest = { smallestChange: 0.05, smallestDifference: 0.01 }
  const margins = { margin: 0.1, marginDifference: 0.02 }
  return { ...smallest, ...margins, level, runs, looks: looksOf(runs, FEWEST_RUNS, level) }
}

/** A gate that makes the runs of both sides alternately: base, new, new, base. */
export function interleavedGate(base: Crew, next: Crew, runs: number, random: Random): Ended {
  const order = Array.from({ length: 2 * runs }, (_, i) =>
    i % 4 === 0 || i % 4 === 3 ? base : next,
  )
  const made = runsInOrder(order, random)
  const of = (crew: number): SideMetrics =>
    made.filter((_, i) => (i % 4 === 0 || i % 4 === 3 ? 0 : 1) === crew)
  return ended({ base: of(0), next: of(1) }, termsOf(runs), 'both')
}

/** A gate against a stored baseline: its runs were made before. */
export function storedGate(base: Crew, next: Crew, runs: number, random: Random): Ended {
  const sides = {
    base: runsOf(runs, base, random.fork('base')),
    next: runsOf(runs, next, random.fork('new')),
  }
  return ended(sides, { ...termsOf(runs), carryOver: true }, 'new')
}

function ended({ base, next }: Sides, terms: GateTerms, grows: 'both' | 'new'): Ended {
  const all = { base: runsWith('base', base), new: runsWith('new', next) }
  for (const { at } of terms.looks) {
    const before = grows === 'both' ? all.base.slice(0, at) : all.base
    const made = { base: before, new: all.new.slice(0, at), pairs: [], refused: [] }
    const decision = lookAt(at, made, { judged: DEFAULT_JUDGED, terms })
    if (decision !== null) return { decision, runs: at }
  }
  return { decision: 'inconclusive', runs: terms.runs }
}
