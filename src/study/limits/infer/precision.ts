/** What the evidence leaves open about the parameters of the best explanation. */
import type { Hypothesis, Parameters } from './hypotheses/hypothesis.ts'
import type { Estimate } from './interface.ts'
import type { Pool } from './search/pool.ts'

/** Particles this much less likely than the best are still believed. */
const BELIEVED = 3

export function rangeOf(pool: Pool, parameter: keyof Parameters): Estimate {
  const best = pool.particles[0]!
  const values = pool.particles
    .filter(({ fit }) => fit >= best.fit - BELIEVED)
    .map(({ parameters }) => parameters[parameter])
  const low = Math.min(...values)
  const high = Math.max(...values)
  return { value: parameter === 'limit' ? best.parameters.limit : (low + high) / 2, low, high }
}

/** A length of time is known well enough when its interval is this wide, of its value. */
const WIDTH = 0.07

export function isPrecise(pool: Pool): boolean {
  return openParameters(pool).length === 0
}

function openParameters(pool: Pool): (keyof Parameters)[] {
  return timed(pool.hypothesis).filter((parameter) => {
    const { value, low, high } = rangeOf(pool, parameter)
    return parameter === 'limit' ? low < high : high - low > WIDTH * value
  })
}

function timed({ has }: Hypothesis): (keyof Parameters)[] {
  return has.filter((parameter) => parameter !== 'phaseMs')
}
