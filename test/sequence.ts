/** The files that take longest start first, so that none is left for the end, beside idle cores. */
import { relative } from 'node:path'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * Nine seconds and more of five workers on two cores, as measured: longest first, with those behind
 * the first that need k6 or Python. The others follow in vitest's own order.
 */
const LONGEST = [
  'test/study/limits/analyse/infer/headers.test.ts',
  'test/study/limits/conduct/virtual.test.ts',
  'test/e2e/documents/readme.test.ts',
  'test/study/polling/conduct/resume.test.ts',
  'test/e2e/containers.test.ts',
  'test/study/capacity/analyse/quota-crews.test.ts',
  'test/study/comparing/gate/conduct.test.ts',
  'test/result/verdict/calibration.test.ts',
  'test/chaos/virtual.test.ts',
  'test/study/capacity/conduct/quota.test.ts',
  'test/study/polling/conduct/polling.test.ts',
  'test/e2e/stranger/gate.test.ts',
  'test/e2e/stranger/capacity.test.ts',
  'test/e2e/k6/fleet.test.ts',
  'test/e2e/stranger/polling.test.ts',
  'test/e2e/stranger/limits.test.ts',
  'test/e2e/stranger/people.test.ts',
  'test/e2e/stranger/run.test.ts',
  'test/e2e/k6/run.test.ts',
  'test/e2e/k6/fleet-pods.test.ts',
  'test/e2e/k6/life.test.ts',
  'test/e2e/k6/out.test.ts',
  'test/e2e/trouble/signals.test.ts',
  'test/verdicts/longest.test.ts',
  'test/study/limits/conduct/ordinary.test.ts',
  'test/study/polling/analyse/answers.test.ts',
  'test/verdicts/scenarios.test.ts',
  'test/e2e/engines.test.ts',
  'test/study/limits/conduct/live.test.ts',
  'test/e2e/trouble/killed.test.ts',
  'test/study/polling/analyse/sweep.test.ts',
  'test/study/limits/analyse/infer/sharing.test.ts',
  'test/chaos/sockets.test.ts',
  'test/study/capacity/conduct/capacity.test.ts',
  'test/host/telemetry/otlp.test.ts',
  'test/e2e/studies.test.ts',
  'test/study/recovery/conduct/recovery.test.ts',
  'test/study/capacity/conduct/live.test.ts',
  'test/fake-crew/faults/http-faults.test.ts',
  'test/study/twin/shared.test.ts',
  'test/hostile/folders/folders.test.ts',
  'test/verdicts/broken.test.ts',
  'test/run/check.test.ts',
  'test/study/capacity/analyse/lasting.test.ts',
  'test/study/capacity/conduct/sockets.test.ts',
  'test/study/limits/conduct/refusals.test.ts',
  'test/study/limits/analyse/infer/varying-service.test.ts',
  'test/e2e/twin.test.ts',
  'test/study/recovery/conduct/sockets.test.ts',
  'test/study/limits/conduct/recorded.test.ts',
  'test/study/saturation/conduct/ladder/visit.test.ts',
  'test/verdict/sweep.property.test.ts',
  'test/study/polling/conduct/recording.test.ts',
  'test/study/recovery/conduct/resume.test.ts',
  'test/cli/report.test.ts',
  'test/study/capacity/analyse/search.test.ts',
  'test/study/capacity/analyse/verdicts.test.ts',
  'test/run/run.test.ts',
  'test/study/limits/analyse/infer/inference.test.ts',
  'test/e2e/ci.test.ts',
  'test/study/limits/analyse/infer/targets.test.ts',
  'test/e2e/documents/report-page.test.ts',
  'test/study/limits/analyse/infer/strangers.test.ts',
  'test/e2e/trouble/last-resort.test.ts',
  'test/study/saturation/conduct/sockets.test.ts',
  'test/study/capacity/analyse/shared-work.test.ts',
  'test/study/limits/conduct/beside.test.ts',
  'test/study/capacity/conduct/scaling.test.ts',
  'test/e2e/input/hostile-text.test.ts',
  'test/regular-expressions.test.ts',
  'test/study/comparing/gate/started.test.ts',
  'test/study/limits/conduct/in-time.test.ts',
  'test/e2e/documents/contract.test.ts',
  'test/run/fake/control.test.ts',
  'test/study/comparing/comparison/conduct.test.ts',
  'test/study/limits/analyse/infer/steady-client.test.ts',
  'test/study/polling/truth.test.ts',
  'test/fake-crew/model/limits/algorithms.test.ts',
  'test/e2e/package.test.ts',
  'test/study/saturation/conduct/ladder/climb.test.ts',
  'test/chaos/followed.test.ts',
  'test/verdict/head-lines.test.ts',
  'test/study/frame/conduct/torn.test.ts',
  'test/e2e/input/secrets.test.ts',
  'test/run/fake/process.test.ts',
  'test/result/workers/by-ends.test.ts',
  'test/chaos/alike.test.ts',
  'test/e2e/truth.test.ts',
  'test/run/resume.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId }: TestSpecification): number => {
      const listed = LONGEST.indexOf(relative(this.ctx.config.root, moduleId))
      return listed === -1 ? LONGEST.length : listed
    }
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}
