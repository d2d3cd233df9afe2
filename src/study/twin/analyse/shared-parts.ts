/** Describes what was learned of what executions share: workers that scale, quotas, a processor. */
import { formatCount, formatMs, plural } from '../../../result/metrics/format.ts'
import { formatShare, MICROS_PER_MS } from '../../../base/units.ts'
import type { TwinPart } from '../document.ts'
import type { LearnedCrew } from './learn/learn.ts'
import type { Crowding } from './learn/shared/crowding.ts'
import type { LearnedQuota } from './learn/shared/quota.ts'
import { GOOD } from './learn/shared/quota.ts'
import type { LearnedScaling } from './learn/shared/scaling.ts'
import type { LearnedSlowdown, Shared } from './learn/shared/shared.ts'
import { perMinuteText } from './write/profile.ts'

/** A part of which nothing is said yet. */
export const NOTHING = {
  unit: null,
  fit: null,
  estimate: null,
  goodness: null,
  identified: true,
  tells: null,
  at: null,
} as const

export function sharedParts({ shared }: LearnedCrew): TwinPart[] {
  const { quota, slowdown, crowding, waited } = shared
  return [
    ...(waited.quota === 0 ? [] : [quotaPart(quota, waited)]),
    ...(waited.slowed === 0 ? [] : [slowdownPart(slowdown, waited)]),
    ...(crowding === null ? [] : [crowdingPart(crowding)]),
  ]
}

export function scalingPart({
  from,
  to,
  upAfter,
  downAfter,
  added,
  goes,
}: LearnedScaling): TwinPart {
  const [up, down] = [upAfter, downAfter].map((each) => formatMs(each / MICROS_PER_MS))
  const gone = goes ? `one fewer after ${down} while some are idle` : 'none was seen to go'
  return {
    ...NOTHING,
    name: 'workers',
    unit: 'executions',
    at: 'capacity.workers',
    estimate: { value: to, low: from, high: to },
    words:
      `${from} to ${plural(to, 'worker')}: one more after ${up} while executions wait ` +
      `(${plural(added, 'time')}), ${gone}`,
    identified: goes,
    tells: goes ? null : 'a run whose load falls and rises again',
  }
}

function waitedWords(waited: number, of: number): string {
  return `${formatCount(waited)} of ${plural(of, 'task')}`
}

const TELLS_QUOTA = 'more executions, at a rate at which they wait for the quota'

function quotaPart(quota: LearnedQuota | null, { quota: waited, of }: Shared['waited']): TwinPart {
  const part = { ...NOTHING, name: 'quota' }
  const told = `${waitedWords(waited, of)} waited for it, by the ledger`
  if (quota === null) {
    const words =
      `${told}; no quota of calls explains that, as where calls use different numbers of tokens: ` +
      "the twin's tasks take as long"
    return { ...part, words, identified: false, tells: TELLS_QUOTA }
  }
  const { callsPerMinute, perTask, burst, refill, when, misfit } = quota
  const how = [
    `${perMinuteText(callsPerMinute)}, ${plural(perTask, 'call')} in each task`,
    ...(refill === 'window' ? ['by windows of a minute'] : []),
    ...(burst === 1 ? [] : [`${burst} at once after a pause`]),
    ...(when === 'retry' ? ['refused calls try again'] : []),
  ]
  const isKnown = misfit <= GOOD
  return {
    ...part,
    at: 'capacity.quota',
    words: `${how.join(', ')}; ${told}, and it explains ${explainedWords(misfit)} of the waits`,
    identified: isKnown,
    tells: isKnown ? null : TELLS_QUOTA,
  }
}

function explainedWords(misfit: number): string {
  return formatShare(Number(Math.max(0, 1 - misfit).toFixed(3)))
}

function slowdownPart(
  slowdown: LearnedSlowdown | null,
  { slowed, of }: Shared['waited'],
): TwinPart {
  const part = { ...NOTHING, name: 'shared processor', unit: 'executions' as const }
  const told = `${waitedWords(slowed, of)} were slowed down, by the ledger`
  if (slowdown === null) {
    return { ...part, words: `${told}: too few`, identified: false, tells: 'more load' }
  }
  const { shared, misfit } = slowdown
  const isKnown = misfit <= GOOD
  return {
    ...part,
    at: 'capacity.slowdown',
    estimate: { value: shared, low: shared, high: shared },
    words:
      `${plural(shared, 'task')} at full speed at once; ${told}, and it explains ` +
      `${explainedWords(misfit)} of that`,
    identified: isKnown,
    tells: isKnown ? null : 'more executions at the same rate',
  }
}

function crowdingPart({ shared, longer, executions }: Crowding): TwinPart {
  const more = formatShare(Number((longer - 1).toFixed(2)))
  return {
    ...NOTHING,
    name: 'what executions share',
    unit: 'executions',
    at: 'capacity.slowdown',
    estimate: { value: shared, low: shared, high: shared },
    words:
      `of ${plural(executions, 'execution')}, those beside many take ${more} longer than those ` +
      `beside few: the twin slows down more than ${shared} of them`,
    identified: false,
    tells: 'crewload capacity; only a ledger distinguishes a quota from a processor',
  }
}
