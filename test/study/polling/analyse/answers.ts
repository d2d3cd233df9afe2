/** Answers of the study to recordings that tests make up. */
import { allSteps } from '../../../../src/base/steps.ts'
import { analysingPolling } from '../../../../src/study/polling/analyse/analyse.ts'
import type { Wish } from '../../../../src/study/polling/analyse/choice/wish.ts'
import type { Recording } from '../../../../src/study/polling/analyse/replay/recording.ts'
import type { LearnedRuns } from '../../../../src/study/polling/analyse/learned.ts'
import type { PollingDocument, WishTold } from '../../../../src/study/polling/document.ts'
import { sampleFacts } from '../../../support/study-samples.ts'

const NOTHING_SAID: Wish = { quota: null, promise: null, prices: { poll: 1, delaySecond: 1 } }

export function answerTo(
  recording: Recording,
  wish = NOTHING_SAID,
  told: Partial<WishTold> = {},
  loads: LearnedRuns['loads'] = [],
): PollingDocument {
  const learned = { recording, runs: [], target: 'a crew', profile: null, scenario: null }
  return allSteps(
    analysingPolling(
      { ...learned, seed: null, speed: 1, invalid: [], doubted: [], crews: [], loads },
      {
        facts: () => sampleFacts(null),
        kind: 'runs',
        wish,
        told: {
          maxPolls: null,
          limits: null,
          delay: null,
          pollPrice: 1,
          delayPrice: 1,
          given: false,
          ...told,
        },
      },
    ),
  )
}
