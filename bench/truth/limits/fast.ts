/** Limiters behind a network with little jitter. */
import type { Drawn } from './draw.ts'
import { drawLimiter } from './draw.ts'

/** The jitter in each direction, uniform from 0, in milliseconds. */
export const FAST_JITTER_MS = 1

export function onFastNetwork(drawn: Drawn): Drawn {
  return { ...drawn, jitterMs: FAST_JITTER_MS }
}

/** The first `count` penalties among the limiters that are drawn from `firstSeed` on. */
export function penaltiesFrom(firstSeed: number, count: number): Drawn[] {
  const penalties: Drawn[] = []
  for (let seed = firstSeed; penalties.length < count; seed++) {
    const drawn = drawLimiter(seed)
    if (drawn.kind === 'penalty') penalties.push(drawn)
  }
  return penalties
}
