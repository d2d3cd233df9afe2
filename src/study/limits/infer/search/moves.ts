/** Small changes of parameters, along the ridges on which they trade against each other. */
import type { Random } from '../../../../base/random.ts'
import type { Hypothesis, Parameters } from '../hypotheses/hypothesis.ts'
import { phaseOf } from '../hypotheses/windows.ts'

const SCALES = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001]
const HARMONICS = [1 / 3, 1 / 2, 2 / 3, 3 / 2, 2, 3]

/** `nowMs`: boundaries of windows near it are kept where their length changes. */
export function moved(
  { has }: Hypothesis,
  from: Parameters,
  nowMs: number,
  random: Random,
): Parameters {
  const to = { ...from }
  const parameter = random.pick(has)
  const scale = random.pick(SCALES) * random.normal()
  switch (parameter) {
    case 'limit':
      to.limit = movedLimit(from.limit, random)
      if (has.includes('windowMs') && random.next() < 0.3) to.windowMs *= Math.exp(scale)
      break
    case 'windowMs':
      to.windowMs *= random.next() < 0.1 ? random.pick(HARMONICS) : Math.exp(scale)
      break
    case 'phaseMs':
      to.phaseMs += scale * from.windowMs
      break
    case 'blockMs':
      to.blockMs *= Math.exp(scale)
      break
  }
  if (has.includes('phaseMs')) to.phaseMs = keptPhase(from, to, nowMs * random.next())
  return to
}

function movedLimit(limit: number, random: Random): number {
  const most = random.next() < 0.7 ? 1 : Math.max(2, Math.round(limit * 0.1))
  const by = 1 + random.int(most)
  return Math.max(1, random.next() < 0.5 ? limit - by : limit + by)
}

/** The boundary nearest to `aroundMs` stays where it was. */
function keptPhase(from: Parameters, to: Parameters, aroundMs: number): number {
  const turns = Math.round((aroundMs - to.phaseMs) / from.windowMs)
  return phaseOf(to.phaseMs + turns * from.windowMs, to.windowMs)
}
