/** Answers of the study to recordings that tests make up. */
import { allSteps } from '../../../../src/base/steps.ts'
import type { Mistake } from '../../../../src/base/mistakes.ts'
import { analysingPolling } from '../../../../src/study/polling/analyse/analyse.ts'
import type { Recording } from '../../../../src/study/polling/analyse/replay/recording.ts'
import type { PollingDocument, Wish } from '../../../../src/study/polling/document.ts'
import type { PollingOptions } from '../../../../src/study/polling/options.ts'
import { wishOf } from '../../../../src/study/polling/plan/wish.ts'
import { sampleFacts } from '../../../support/study-samples.ts'

/** As options say it. */
export function wishFor(goals: PollingOptions): Wish {
  const mistakes: Mistake[] = []
  const wish = wishOf(goals, null, mistakes)
  if (mistakes.length > 0) throw new Error(JSON.stringify(mistakes))
  return wish
}

export function answerTo(recording: Recording, wish = wishFor({})): PollingDocument {
  const learned = { recording, runs: [], target: 'a crew', profile: null, scenario: null }
  return allSteps(
    analysingPolling(
      { ...learned, seed: null, speed: 1, invalid: [], doubted: [], crews: [] },
      { facts: () => sampleFacts(null), kind: 'runs', wish },
    ),
  )
}
