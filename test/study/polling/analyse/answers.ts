/** Answers of the study to recordings that tests make up. */
import { allSteps } from '../../../../src/base/steps.ts'
import type { Mistake } from '../../../../src/base/mistakes.ts'
import { analysingPolling } from '../../../../src/study/polling/analyse/analyse.ts'
import type { Recording } from '../../../../src/study/polling/analyse/replay/recording.ts'
import type { PollingDocument, PollingGoal } from '../../../../src/study/polling/document.ts'
import type { PollingOptions } from '../../../../src/study/polling/options.ts'
import { goalOf } from '../../../../src/study/polling/plan/goal.ts'
import { sampleFacts } from '../../../support/study-samples.ts'

/** As options say it. */
export function goalFor(goals: PollingOptions): PollingGoal {
  const mistakes: Mistake[] = []
  const goal = goalOf(goals, null, mistakes)
  if (mistakes.length > 0) throw new Error(JSON.stringify(mistakes))
  return goal
}

export function answerTo(recording: Recording, goal = goalFor({})): PollingDocument {
  const place = { kind: 'deployment', target: 'a crew' } as const
  const learned = { recording, runs: [], place, scenario: null }
  return allSteps(
    analysingPolling(
      { ...learned, seed: null, speed: 1, invalid: [], doubted: [], crews: [] },
      { facts: () => sampleFacts(null), kind: 'runs', goal },
    ),
  )
}
