/** What limits the crew, and what to do about it, in words. */
import { plural } from '../../../../result/metrics/format.ts'
import { formatShare } from '../../../../base/units.ts'
import { rateWords } from '../rate-words.ts'
import type { CapacityAnswer } from '../told.ts'

/** Sentences that follow the capacity, each after a blank; none where the workers are the limit. */
export function limitWords({
  limit,
  sharedPerHour,
  oneMoreWorker,
  model,
  capacity,
}: CapacityAnswer): string {
  if (limit === null || capacity === null || limit.slowdown === null) return ''
  if (limit.kind !== 'shared' && limit.kind !== 'both') return ''
  const longer = formatShare(limit.slowdown.value - 1)
  const busy = model === null ? 'every worker is' : `all ${plural(model.slots.value, 'worker')} are`
  const slower = `executions take ${longer} longer while ${busy} busy`
  const cap =
    sharedPerHour === null
      ? ` All executions share something: ${slower}.`
      : ' Something that all executions share caps the crew at about ' +
        `${rateWords(sharedPerHour.value)} per hour, whatever its workers: ${slower}.`
  if (oneMoreWorker === null) return cap
  const more = oneMoreWorker.high / capacity.perHour - 1
  return more < NOTHING
    ? `${cap} More workers bring nothing; more of what is shared does, such as a higher quota of ` +
        'the language model.'
    : `${cap} One more worker brings at most ${formatShare(more)}.`
}

/** A smaller gain is called nothing. */
const NOTHING = 0.03
