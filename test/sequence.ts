/**
 * Runs start before units, because a process serves one project alone; and in each the files that
 * take longest start first, so that none of them is left for the end, with cores idle beside it.
 */
import { relative } from 'node:path'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * Longest first, as measured, those that compute between those that wait; the others follow in
 * vitest's own order.
 */
const LONGEST = [
  'test/e2e/capacity.test.ts',
  'test/study/gate/conduct.test.ts',
  'test/chaos/virtual.test.ts',
  'test/e2e/documents/readme.test.ts',
  'test/e2e/trouble/killed.test.ts',
  'test/study/recovery/conduct/recovery.test.ts',
  'test/e2e/agreement.test.ts',
  'test/verdicts/longest.test.ts',
  'test/analysis/verdict/calibration.test.ts',
  'test/run/workers.test.ts',
  'test/verdicts/scenarios.test.ts',
  'test/e2e/k6/run.test.ts',
  'test/verdicts/broken.test.ts',
  'test/run/liveness.test.ts',
  'test/study/limits/analyse/infer/inference.test.ts',
  'test/e2e/recovery.test.ts',
  'test/e2e/k6/life.test.ts',
  'test/e2e/workers.test.ts',
  'test/e2e/k6/fleet.test.ts',
  'test/study/capacity/analyse/search.test.ts',
  'test/e2e/trouble/lost-target.test.ts',
  'test/verdict/seen.test.ts',
  'test/run/resume.test.ts',
  'test/study/polling/conduct/polling.test.ts',
  'test/e2e/saturate.test.ts',
  'test/study/capacity/conduct/recorded.test.ts',
  'test/study/limits/conduct/strangers.test.ts',
  'test/study/limits/conduct/virtual.test.ts',
  'test/study/limits/analyse/infer/headers.test.ts',
  'test/e2e/documents/report-page.test.ts',
  'test/e2e/k6/interrupt.test.ts',
  'test/chaos/budgets.test.ts',
  'test/e2e/k6/fleet-pods.test.ts',
  'test/fake-crew/faults/http-faults.test.ts',
  'test/measure/merge.test.ts',
  'test/e2e/k6/out.test.ts',
  'test/run/disturbances/circuit.test.ts',
  'test/e2e/trouble/own-crew-gone.test.ts',
  'test/study/capacity/conduct/capacity.test.ts',
  'test/run/fake/process.test.ts',
  'test/study/limits/conduct/live.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId, project }: TestSpecification): number => {
      const listed = LONGEST.indexOf(relative(this.ctx.config.root, moduleId))
      const first = project.name === 'runs' ? 0 : 2 * LONGEST.length
      return first + (listed === -1 ? LONGEST.length : listed)
    }
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}
