/**
 * Whether the times of a run are those of its load: a polling interval that suits them would suit
 * no other load.
 */
import { formatShare, MICROS_PER_MS } from '../../base/units.ts'
import type { SharedWaits } from '../ledger/shared-waits.ts'
import { sharedWords, waitingShare } from '../ledger/shared-waits.ts'
import type { CrewLoad } from '../verdict/crew-load.ts'
import { loadShare } from '../verdict/crew-load.ts'
import type { Group, Observations } from '../observations.ts'
import type { Sample } from '../statistics/sample.ts'
import { due, unserved } from './counts.ts'
import { formatPart, plural } from './format.ts'

export interface Waits {
  /** The times with and without a worker, by the ledger; null without one. */
  times: { queue: Sample; running: Sample } | null
  /** Null where executions share nothing but workers. */
  waits: SharedWaits | null
  load: CrewLoad | null
}

/** As many as a run may leave unserved. */
const MOST_UNSERVED = 0.05
/** Executions of the second half that take so many times as long as those of the first. */
const GROWN = 1.5
/** Fewer executions show no growth. */
const FEWEST_ENDED = 10

/** The reason in words that follow "because"; null if executions take what their work takes. */
export function waitsOfLoad(
  { window, series }: Pick<Observations, 'window' | 'series'>,
  { times, waits, load }: Waits,
): string | null {
  if (load !== null && load.load > 1) {
    const workers = plural(load.workers, 'worker')
    return `the arrivals need ${loadShare(load)} of the crew’s ${workers}, and executions wait`
  }
  if (times !== null && times.queue.sum > times.running.sum) {
    const share = formatShare(times.queue.sum / (times.queue.sum + times.running.sum))
    return `executions spend ${share} of their time waiting for a worker`
  }
  if (times !== null && waits !== null) {
    const share = waitingShare(waits, meanMs(times.queue))
    const words = `executions spend ${formatShare(share)} of their time waiting for`
    if (share > 0.5) return `${words} a worker or ${sharedWords(waits)}`
  }
  const [missing, all] = [unserved(window), due(window)]
  if (missing > MOST_UNSERVED * all) return `${formatPart(missing, all)} were not served`
  const growth = growthOf(series.map(({ group }) => group))
  if (growth < GROWN) return null
  return `executions of its second half take ${growth.toFixed(1)} times as long as in its first`
}

function meanMs({ sum, n }: Sample): number {
  return n === 0 ? 0 : sum / n / MICROS_PER_MS
}

/** The mean time of the later half over that of the earlier; 0 if few ended. */
function growthOf(inOrder: readonly Group[]): number {
  const middle = Math.floor(inOrder.length / 2)
  const [earlier, later] = [inOrder.slice(0, middle), inOrder.slice(middle)].map(meanOf)
  return earlier === null || later === null ? 0 : later! / earlier!
}

function meanOf(groups: readonly Group[]): number | null {
  const ended = groups.map(({ executions }) => executions.ended)
  const n = ended.reduce((count, each) => count + each.n, 0)
  return n < FEWEST_ENDED ? null : ended.reduce((total, each) => total + each.sum, 0) / n
}
