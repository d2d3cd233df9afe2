/**
 * A clock whose zero is the first experiment of an operation: the search for windows keeps their
 * beginnings near 0, and evidence may lie hours from the zero of the study's clock, or before it
 * where an earlier process gathered it.
 */
import type { LimitEvidence, Experiment, Observed } from '../analyse/infer/interface.ts'

export interface ExperimentClock {
  from(ms: number): number
  evidence(evidence: LimitEvidence): LimitEvidence
  /** Back on the clock of the study. */
  experiment(experiment: Experiment): Experiment
}

/** What begins within this time from the zero of the study's clock may stay on it. */
const NEAR_MS = 10_000

/** `beganMs`: the first experiment, on the clock of the study. */
export function experimentClock(beganMs: number): ExperimentClock {
  const zeroMs = beganMs >= 0 && beganMs < NEAR_MS ? 0 : beganMs
  const from = (ms: number): number => ms - zeroMs
  const moved = (one: Observed): Observed => {
    const times = { sentMs: from(one.sentMs), receivedMs: from(one.receivedMs) }
    return one.burstMs === undefined
      ? { ...one, ...times }
      : { ...one, ...times, burstMs: from(one.burstMs) }
  }
  return {
    from,
    evidence: (evidence) => evidence.map(moved),
    experiment: (experiment) => ({ ...experiment, startMs: experiment.startMs + zeroMs }),
  }
}
