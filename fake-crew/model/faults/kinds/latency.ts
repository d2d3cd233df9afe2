/** Latency on top of the crew's own, from any distribution. */
import { draw } from '../../../../src/base/distribution.ts'
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

export function latencyEffect({ delay }: Extract<FaultWhat, { kind: 'latency' }>): Effect {
  return { delayMicros: ({ random }) => Math.max(0, Math.round(draw(delay, random.fork('delay')))) }
}
