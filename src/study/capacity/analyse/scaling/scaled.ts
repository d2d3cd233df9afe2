/** What is told of workers that scale: how many, how long it took, and what a cold start does. */
import { quantileOf } from '../../../../result/statistics/quantiles.ts'
import { MICROS_PER_MS } from '../../../../base/units.ts'
import type { CapacityDocument } from '../../document.ts'
import type { Analysed } from '../told.ts'
import { coldStartOf } from './cold-start.ts'
import type { Scaling } from './scaling.ts'

type Scaled = NonNullable<CapacityDocument['scaling']>

export function scaledOf(analysed: Analysed): CapacityDocument['scaling'] {
  const { scaling } = analysed.search.learned
  if (scaling === null) return null
  const { from, to, stands, steps } = scaling
  const tookMicros = steps.reduce((sum, { micros }) => sum + micros, 0)
  return {
    from,
    to,
    stands,
    tookMs: tookMicros / MICROS_PER_MS,
    coldStart: stands ? coldStart(analysed, scaling) : null,
  }
}

/** Null without a rate, or if a crew near saturation hardly ever catches up. */
function coldStart({ search, criteria }: Analysed, scaling: Scaling): Scaled['coldStart'] {
  const { estimate, learned } = search
  if (estimate?.solution.kind !== 'rate') return null
  const started = coldStartOf({
    scaling,
    perHour: estimate.solution.perHour,
    services: learned.full.micros,
    random: search.randomOf('cold start'),
  })
  if (started === null) return null
  const { caughtUpMicros, stays } = started
  const { kickoffs, detection } = estimate.system
  const times = stays.map((stay, i) => {
    const place = i % kickoffs.micros.length
    const accepted = kickoffs.micros[place]!
    return accepted + detection.knownMicros(kickoffs.admitted[place]! + stay - accepted, i)
  })
  times.sort()
  const promise = criteria.find(({ boundMicros }) => boundMicros !== null)
  const late = times.filter((time) => time >= (promise?.boundMicros ?? Infinity)).length
  return {
    caughtUpMs: caughtUpMicros / MICROS_PER_MS,
    p95Ms: quantileOf(times, 0.95)! / MICROS_PER_MS,
    broken: promise === undefined ? null : { promise: promise.text, share: late / times.length },
  }
}
