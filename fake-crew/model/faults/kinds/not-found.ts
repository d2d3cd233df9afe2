/** Eventual consistency: a status asked for too soon after the kickoff finds no execution. */
import { draw } from '../../../../src/base/distribution.ts'
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

export function notFoundEffect(fault: Extract<FaultWhat, { kind: 'notFound' }>): Effect {
  return {
    hiddenMicros: ({ random, stage }) => draw(fault.for, random.fork('hidden')) / stage.speed,
  }
}
