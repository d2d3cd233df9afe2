/** Parses `fixed` as an author writes it into its policy; times are still those of the author. */
import { duration, positiveDuration } from '../schema/quantities.ts'
import { section } from '../schema/shapes.ts'
import type { FixedOption, FixedPolling } from './fixed.ts'
import type { PollingWords } from './words.ts'

const schema = section({
  fixed: positiveDuration(),
  initialDelay: duration().optional(),
}).transform((value): FixedPolling => ({
  kind: 'fixed',
  everyMicros: value.fixed,
  initialDelayMicros: value.initialDelay ?? value.fixed,
}))

export const fixedWords: PollingWords<FixedPolling, FixedOption> = {
  description: 'Always the same interval, with an optional different first one.',
  example: { fixed: '5s', initialDelay: '20s' },
  schema,
}
