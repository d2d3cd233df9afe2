/**
 * Provides what the sample documents of studies share: the facts of a study without cost, and
 * terms.
 */
import type { StudyFacts } from '../../src/study/frame/envelope.ts'

/** The facts of a sample; `own` replaces those in which it differs. */
export function sampleFacts(command: string | null, own: Partial<StudyFacts> = {}): StudyFacts {
  return {
    tool: { name: 'crewload', version: '0.1.0', node: '20.19.0' },
    id: 'c0ffee00',
    startedAt: '2026-11-22T12:00:00.000Z',
    ended: 'complete',
    durationMs: 12,
    requests: 0,
    kickoffs: 0,
    budget: { requests: 0, kickoffs: 0 },
    command,
    ...own,
  }
}

/** Changes of at least 5 %, or of 0.01 in a share, count, and must be proven at the level 1 %. */
export const SAMPLE_TERMS = { smallestChange: 0.05, smallestDifference: 0.01, level: 0.01 }

/** Makes a sample once, and gives a copy to each who asks. */
export function once<Sample>(create: () => Sample): () => Sample {
  let sample: Sample | undefined
  return () => structuredClone((sample ??= create()))
}
