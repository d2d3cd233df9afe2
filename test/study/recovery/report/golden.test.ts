/** Against files that people have read: run with `-u` and read the difference. */
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { RecoveryDocument } from '../../../../src/study/recovery/document.ts'
import { renderReportMarkdown } from '../../../../src/report/frame/render/markdown.ts'
import {
  renderPlanText,
  renderReportTerminal,
} from '../../../../src/report/frame/render/terminal.ts'
import { studyFiles } from '../../../../src/study/frame/files.ts'
import { trialLine } from '../../../../src/study/recovery/report/words.ts'
import { recovery } from '../../../../src/study/recovery/study.ts'
import {
  disagreeing,
  empty,
  recovering,
  slow,
  tipping,
  unclear,
  untriggered,
} from '../sample-recoveries.ts'

const DOCUMENTS: Record<string, () => RecoveryDocument> = {
  recovering,
  tipping,
  disagreeing,
  untriggered,
  unclear,
  slow,
  empty,
}
const GOLDEN = '../../../golden/report/recovery'

describe.each(Object.entries(DOCUMENTS))('%s', (name, create) => {
  test('terminal, 100 columns', async () => {
    const options = { color: false, width: 100, reportPath: 'reports/recovery/report.html' }
    await expect(renderReportTerminal(recovery.report(create()), options)).toMatchFileSnapshot(
      `${GOLDEN}/${name}.terminal.txt`,
    )
  })

  test('summary.md', async () => {
    await expect(renderReportMarkdown(recovery.report(create()))).toMatchFileSnapshot(
      `${GOLDEN}/${name}.summary.md`,
    )
  })

  test('junit.xml', async () => {
    await expect(studyFiles(recovery, create())['junit.xml']).toMatchFileSnapshot(
      `${GOLDEN}/${name}.junit.xml`,
    )
  })

  test('plan and trials as they are told on the way', async () => {
    const { plan, trials } = create()
    const text = `${renderPlanText(recovery.planText(plan))}\n${trials.map((trial) => `${trialLine(trial)}\n`).join('')}`
    await expect(text).toMatchFileSnapshot(`${GOLDEN}/${name}.way.txt`)
  })
})

function shown(color: boolean): string {
  const report = recovery.report(tipping())
  return renderReportTerminal(report, { color, width: 100, reportPath: null })
}

test('colour repeats what words say', () => {
  expect(shown(true)).toContain('\u001B[1;31mDOES NOT RECOVER\u001B[0m')
  expect(stripVTControlCharacters(shown(true))).toBe(shown(false))
})
