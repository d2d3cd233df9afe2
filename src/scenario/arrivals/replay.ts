/** Recorded arrivals, as a scenario wants them: faster, fewer or more, without long gaps. */
import type { Random } from '../../base/random.ts'
import { forks } from '../../base/random.ts'
import type { Micros } from '../../base/units.ts'
import type { InputRecord } from '../inputs.ts'

export interface RecordedArrivals {
  /** In rising order, from the run's zero, in the crew's own time. */
  offsetsMicros: readonly Micros[]
  /** Those of each arrival; missing where the recording has only times. */
  inputs?: readonly InputRecord[]
}

export interface ReplayChanges {
  /** By what gaps are divided. */
  speed: number
  /** How many arrivals each recorded one becomes, on average. */
  scale: number
  /** Longer gaps of the recording are shortened to this. */
  maxGapMicros: Micros
}

/**
 * A scale below 1 keeps each arrival with that probability: of a Poisson process, a Poisson process
 * remains. Above 1 it repeats arrivals; repetitions come at random before the next recorded one, so
 * that the load has the recorded shape and no bursts. Draws belong to an arrival, so
 * that a lower scale keeps a part of what a higher one keeps.
 */
export function replayed(
  recorded: RecordedArrivals,
  { speed, scale, maxGapMicros }: ReplayChanges,
  random: Random,
): RecordedArrivals {
  const { offsetsMicros, inputs } = recorded
  const randomOf = forks(random, 'replay')
  const arrivals: { atMicros: Micros; from: number }[] = []
  const gapBefore = (i: number): Micros => {
    if (i === offsetsMicros.length) return gapBefore(i - 1)
    return Math.min(offsetsMicros[i]! - (offsetsMicros[i - 1] ?? 0), maxGapMicros) / speed
  }
  let atMicros = 0
  for (let i = 0; i < offsetsMicros.length; i++) {
    atMicros += gapBefore(i)
    const own = randomOf(i)
    const copies = Math.floor(scale) + (own.next() < scale % 1 ? 1 : 0)
    for (let copy = 0; copy < copies; copy++) {
      const laterMicros = copy === 0 ? 0 : own.next() * gapBefore(i + 1)
      arrivals.push({ atMicros: atMicros + laterMicros, from: i })
    }
  }
  arrivals.sort((a, b) => a.atMicros - b.atMicros)
  return {
    offsetsMicros: arrivals.map((arrival) => Math.round(arrival.atMicros)),
    ...(inputs === undefined ? {} : { inputs: arrivals.map(({ from }) => inputs[from]!) }),
  }
}
