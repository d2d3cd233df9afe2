/** The distribution of how long executions take, as strategies are fitted to it. */
import { sumBy } from '../../../../result/statistics/moments.ts'
import { weightedQuantile } from '../../../../result/statistics/quantiles.ts'
import type { Micros } from '../../../../base/units.ts'
import type { ExecutionLengths } from '../../../../scenario/polling/definition.ts'
import type { Subject } from '../replay/lives.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'

export interface SampleShape extends ExecutionLengths {
  /** How many were recorded. */
  executions: number
  /** End times in increasing order, each with its share of all ends. */
  ends: readonly { micros: Micros; share: number }[]
  /** Share of all that never ends. */
  never: number
}

/** Throws where nothing ends: there is nothing to fit. */
export function sampleShapeOf(subjects: readonly Subject[], requestMicros: Micros): SampleShape {
  const lives = subjects.flatMap(({ weight, lives }) =>
    lives.map((life) => ({ ...life, weight: weight / lives.length })),
  )
  const ended = lives.filter(({ endMicros }) => endMicros < Infinity)
  const total = sumBy(lives, ({ weight }) => weight)
  const endedTotal = sumBy(ended, ({ weight }) => weight)
  const ends = ended
    .map(({ endMicros, weight }) => ({ micros: endMicros, share: weight / endedTotal }))
    .toSorted((a, b) => a.micros - b.micros)
  const weighted = ends.map(({ micros, share }) => ({ value: micros, weight: share }))
  return {
    executions: subjects.length,
    ends,
    meanMicros: sumBy(ends, ({ micros, share }) => micros * share),
    quantile: (q) => weightedQuantile(weighted, q) ?? 0,
    never: 1 - endedTotal / total,
    requestMicros,
    tasks: lives.reduce((most, life) => Math.max(most, life.completionsMicros?.length ?? 0), 0),
  }
}

export interface PollingFamily {
  /** The family in words, for tables. */
  words: string
  /**
   * Whether its strategies follow the recorded ends closely: then they are judged by executions
   * that they were not fitted to.
   */
  learned: boolean
  /**
   * What is tried. A learned family gives as many for any shape, in the same order, so that the
   * strategy fitted to some of the executions stands for the one fitted to all.
   */
  policies: (shape: SampleShape) => readonly PollingPolicy[]
}
