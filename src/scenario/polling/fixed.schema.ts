/** Parses `fixed` as an author writes it into its policy; times are still those of the author. */
import { z } from 'zod'
import type { Micros } from '../../base/units.ts'
import { formatDuration } from '../../base/numbers.ts'
import { duration, positiveDuration } from '../quantities.ts'
import { HINT, hinted, pollingSection, geometric, notBefore, secondsText } from './definition.ts'
import type { FixedPolling } from './index.ts'
import type { ExecutionLengths, PollingWords } from './definition.ts'

const schema = pollingSection({
  fixed: positiveDuration(),
  initialDelay: duration().optional(),
}).transform((value): FixedPolling => ({
  kind: 'fixed',
  everyMicros: value.fixed,
  initialDelayMicros: value.initialDelay ?? value.fixed,
  ...hinted(value),
}))

export const fixedWords: PollingWords<FixedPolling> = {
  description: 'Always the same interval, with an optional different first one.',
  example: { fixed: '5s', initialDelay: '20s' },
  schema,
  planned: z.object({
    kind: z.literal('fixed'),
    everyMicros: z.number(),
    initialDelayMicros: z.number(),
    ...HINT,
  }),
  tell: ({ everyMicros, initialDelayMicros }) => {
    const every = `every ${formatDuration(everyMicros)}`
    if (everyMicros === initialDelayMicros) return every
    return `after ${formatDuration(initialDelayMicros)}, then ${every}`
  },
  tried: (lengths) =>
    [...intervalsOf(lengths), ...anchored(lengths)].map((everyMicros) => {
      return { kind: 'fixed', everyMicros, initialDelayMicros: everyMicros }
    }),
  loop: {
    typescript: (policy) => {
      const [initial, every] = secondsOf(policy)
      return initial === every
        ? `  return ${every}`
        : `  return polls === 0 ? ${initial} : ${every}`
    },
    python: (policy) => {
      const [initial, every] = secondsOf(policy)
      return initial === every
        ? `    return ${every}`
        : `    return ${initial} if polls == 0 else ${every}`
    },
  },
}

function secondsOf({ initialDelayMicros, everyMicros }: FixedPolling): [string, string] {
  return [secondsText(initialDelayMicros), secondsText(everyMicros)]
}

/** Intervals that give an execution of mean length from 300 polls down to one. */
function intervalsOf({ meanMicros, quantile }: ExecutionLengths): Micros[] {
  return geometric(meanMicros / 300, Math.max(meanMicros, quantile(0.99)), 1.12)
}

const MOST_POLLS = 6

/** Intervals at which one of the first polls comes just after the longest execution. */
function anchored({ quantile, requestMicros }: ExecutionLengths): Micros[] {
  return Array.from({ length: MOST_POLLS }, (_, before) =>
    notBefore((quantile(1) - before * requestMicros) / (before + 1)),
  )
}
