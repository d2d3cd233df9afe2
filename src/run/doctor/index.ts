/** Checks whether this machine is fit to measure. */
import type { Diagnosis } from './diagnosis.ts'
import { cores, freeDisk, nodeVersion, openFiles, temporaryFiles, k6 } from './machine.ts'
import { loopbackLatency, timerAccuracy } from './timing.ts'

export type { Diagnosis } from './diagnosis.ts'

/**
 * Takes about a second. Timing checks run alone, one after the other, so that they do not disturb
 * each other.
 */
export async function examine(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Diagnosis[]> {
  const timers = await timerAccuracy()
  const loopback = await loopbackLatency()
  return [
    nodeVersion(),
    cores(),
    openFiles(),
    await freeDisk(folder),
    await temporaryFiles(),
    timers,
    loopback,
    await k6(env),
  ]
}
