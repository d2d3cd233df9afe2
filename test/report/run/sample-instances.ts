/** What a sample document's instances did. */
import type { InstanceResult } from '../../../src/result/document.ts'

export function instanceOf(instance: number, ended: number): InstanceResult {
  return {
    instance,
    engine: 'node',
    beganMs: instance * 12.5,
    finished: true,
    ended,
    maxInFlight: 9,
    latenessP99Ms: 0.6,
    utilisation: 0.05,
    peakMemoryBytes: 92_000_000,
  }
}
