/** Metrics of polling: its cost for the target. */
import type { MetricFamily } from './family.ts'

const POLL_LESS = 'poll less often: see the advice on polling in the report'

export const POLLING_METRICS = [
  {
    kind: 'polls',
    pattern: 'polls.<perExecution|wasted>',
    unit: 'count',
    time: 'crew',
    meaning: 'Mean number of polls per accepted execution.',
    each: {
      perExecution: 'All polls.',
      wasted: 'Polls that saw no change.',
    },
    observation: null,
    of: 'tags',
    hint: POLL_LESS,
  },
  {
    kind: 'wastedShare',
    pattern: 'polls.wastedShare',
    unit: 'share',
    time: 'crew',
    meaning: 'Share of polls that saw no change.',
    observation: null,
    of: 'tags',
    hint: POLL_LESS,
  },
] as const satisfies readonly MetricFamily[]
