/**
 * Changes of parameters, small ones and along the ridges on which they trade against each other.
 */
import type { Random } from '../../../../../base/random.ts'
import type { Hypothesis, Parameters } from '../hypotheses/hypothesis.ts'
import { parametersOf } from '../hypotheses/hypothesis.ts'
import { phaseOf } from '../hypotheses/windows.ts'

const SCALES = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001]
/** What explains the answers as well may lie far away, with nothing between. */
const FAR_SCALES = [1, ...SCALES]
const HARMONICS = [1 / 3, 1 / 2, 2 / 3, 3 / 4, 4 / 3, 3 / 2, 2, 3]

/** Moves one parameter. A boundary of windows between 0 and `nowMs` is kept where it was. */
export function moved(
  { has }: Hypothesis,
  from: Parameters,
  nowMs: number,
  random: Random,
  scales: readonly number[] = SCALES,
): Parameters {
  const to = parametersOf(from)
  const scale = random.pick(scales) * random.normal()
  const boundaryMs = boundaryNear(from, nowMs * random.next())
  let shiftMs = 0
  switch (random.pick(has)) {
    case 'limit':
      to.limit = movedLimit(from.limit, random)
      if (has.includes('windowMs') && random.next() < 0.3) to.windowMs *= Math.exp(scale)
      break
    case 'windowMs':
      to.windowMs *= random.next() < 0.1 ? random.pick(HARMONICS) : Math.exp(scale)
      break
    case 'phaseMs':
      shiftMs = scale * from.windowMs
      break
    case 'blockMs':
      to.blockMs *= Math.exp(scale)
      break
  }
  if (has.includes('phaseMs')) to.phaseMs = phaseOf(boundaryMs + shiftMs, to.windowMs)
  return to
}

/** Moves one parameter to one side, -1 or 1. A window boundary between 0 and `nowMs` is kept. */
export function stretched(
  { has }: Hypothesis,
  from: Parameters,
  { parameter, side }: { parameter: Stretchable; side: -1 | 1 },
  nowMs: number,
  random: Random,
): Parameters {
  const to = parametersOf(from)
  const boundaryMs = boundaryNear(from, nowMs * random.next())
  const scale = random.pick(FAR_SCALES) * Math.abs(random.normal())
  if (parameter === 'limit') to.limit = Math.max(1, from.limit + side)
  else to[parameter] *= Math.exp(side * scale)
  if (has.includes('phaseMs')) {
    const shiftMs = random.next() < 0.5 ? 0 : random.pick(SCALES) * random.normal() * to.windowMs
    to.phaseMs = phaseOf(boundaryMs + shiftMs, to.windowMs)
  }
  return to
}

export type Stretchable = 'limit' | 'windowMs' | 'blockMs'

function movedLimit(limit: number, random: Random): number {
  const most = random.next() < 0.7 ? 1 : Math.max(2, Math.round(limit * 0.1))
  const by = 1 + random.int(most)
  return Math.max(1, random.next() < 0.5 ? limit - by : limit + by)
}

const STRIDES = [0.3, 0.6, 1, 1.5, 2.5]

/**
 * By the difference of two others, as in differential evolution (Storn and Price, 1997): where they
 * lie along a ridge, the move follows it. `aroundMs`: boundaries near it are compared.
 */
export function crossed(
  { has }: Hypothesis,
  from: Parameters,
  [one, other]: readonly [Parameters, Parameters],
  aroundMs: number,
  random: Random,
): Parameters {
  const stride = random.pick(STRIDES) * Math.exp(0.1 * random.normal())
  const to = parametersOf(from)
  if (has.includes('windowMs')) {
    to.windowMs *= (one.windowMs / other.windowMs) ** stride
  }
  if (has.includes('blockMs')) to.blockMs *= (one.blockMs / other.blockMs) ** stride
  if (has.includes('limit')) {
    const limit = from.limit + stride * (one.limit - other.limit)
    to.limit = Math.max(1, Math.round(limit))
  }
  if (has.includes('phaseMs')) {
    const apart = boundaryNear(one, aroundMs) - boundaryNear(other, aroundMs)
    to.phaseMs = phaseOf(boundaryNear(from, aroundMs) + stride * apart, to.windowMs)
  }
  return to
}

function boundaryNear({ windowMs, phaseMs }: Parameters, aroundMs: number): number {
  return phaseMs + Math.round((aroundMs - phaseMs) / windowMs) * windowMs
}
