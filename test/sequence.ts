/** The files that take longest start first, so that none is left for the end, beside idle cores. */
import { relative } from 'node:path'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * Twenty seconds and more of several workers on two cores, as measured: longest first, after the
 * experiments. The others follow in vitest's own order.
 */
const LONGEST = [
  'test/e2e/documents/pages.test.ts',
  'test/e2e/k6/run.test.ts',
  'test/e2e/k6/fleet.test.ts',
  'test/e2e/input/secrets.test.ts',
  'test/e2e/studies.test.ts',
  'test/study/comparing/gate/conduct.test.ts',
  'test/study/polling/conduct/polling.test.ts',
  'test/e2e/trouble/signals.test.ts',
  'test/run/mix/mix.test.ts',
  'test/study/capacity/conduct/capacity.test.ts',
  'test/study/polling/conduct/resume.test.ts',
  'test/study/polling/conduct/pushes.test.ts',
  'test/e2e/input/access.test.ts',
  'test/cli/report.test.ts',
  'test/e2e/input/bad-input.test.ts',
  'test/e2e/mcp.test.ts',
  'test/run/check.test.ts',
  'test/study/limits/conduct/refusals.test.ts',
  'test/run/cut/pushes.test.ts',
  'test/run/answers.test.ts',
  'test/e2e/documents/readme.test.ts',
  'test/run/usage.test.ts',
  'test/study/saturation/conduct/ladder/visit.test.ts',
  'test/study/comparing/usage.test.ts',
  'test/run/webhooks.test.ts',
  'test/run/cut/resume.test.ts',
  'test/host/telemetry/otlp.test.ts',
  'test/study/recovery/conduct/recovery.test.ts',
  'test/e2e/k6/life.test.ts',
  'test/e2e/documents/report-page.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId }: TestSpecification): number => {
      if (moduleId.endsWith('.experiment.ts')) return -1
      const listed = LONGEST.indexOf(relative(this.ctx.config.root, moduleId))
      return listed === -1 ? LONGEST.length : listed
    }
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}
