/** What the verdict of a run is reached from. */
import type { TargetLossResult, ThresholdResult } from '../document.ts'
import type { Observations } from '../observations.ts'
import type { Cuts } from './cuts.ts'
import type { RunReason } from '../findings-and-reasons.ts'

export interface VerdictEvidence extends Cuts {
  validity: readonly RunReason[]
  thresholds: readonly ThresholdResult[]
  /** Missed even if every arrival that the generator dropped had turned out good. */
  missedDespiteDrops: readonly ThresholdResult[]
  undecided: 'inconclusive' | 'pass' | 'fail'
  /** The target is a fake crew, where an aborted execution costs nothing. */
  isFake: boolean
  targetLoss: TargetLossResult | null
  /** Findings of severity `problem`. */
  problems: number
  observations: Observations
}
