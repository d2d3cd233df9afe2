/** Against files that people have read: run with `-u` and read the difference. */
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { SaturationDocument } from '../../../../src/study/saturation/document.ts'
import { renderReportMarkdown } from '../../../../src/report/frame/render/markdown.ts'
import {
  renderPlanText,
  renderReportTerminal,
} from '../../../../src/report/frame/render/terminal.ts'
import { studyFiles } from '../../../../src/study/frame/files.ts'
import { visitLine } from '../../../../src/study/saturation/report/words.ts'
import { saturation } from '../../../../src/study/saturation/study.ts'
import {
  collapsingSaturation,
  emptySaturation,
  flatSaturation,
  limitedSaturation,
  openSaturation,
  roughSaturation,
  stolenSaturation,
} from '../sample-saturations.ts'

const DOCUMENTS: Record<string, () => SaturationDocument> = {
  flat: flatSaturation,
  collapsing: collapsingSaturation,
  open: openSaturation,
  limited: limitedSaturation,
  rough: roughSaturation,
  stolen: stolenSaturation,
  empty: emptySaturation,
}

const GOLDEN = '../../../golden/report/saturation'

describe.each(Object.entries(DOCUMENTS))('%s', (name, create) => {
  test('terminal, 100 columns', async () => {
    const options = { color: false, width: 100, reportPath: 'reports/saturate/report.html' }
    await expect(renderReportTerminal(saturation.report(create()), options)).toMatchFileSnapshot(
      `${GOLDEN}/${name}.terminal.txt`,
    )
  })

  test('summary.md', async () => {
    await expect(renderReportMarkdown(saturation.report(create()))).toMatchFileSnapshot(
      `${GOLDEN}/${name}.summary.md`,
    )
  })

  test('junit.xml', async () => {
    await expect(studyFiles(saturation, create())['junit.xml']).toMatchFileSnapshot(
      `${GOLDEN}/${name}.junit.xml`,
    )
  })

  test('plan and visits as they are told on the way', async () => {
    const { plan, trials } = create()
    const lines = trials.map((visit) => `${visitLine(visit, plan)}\n`).join('')
    const text = `${renderPlanText(saturation.planText(plan))}\n${lines}`
    await expect(text).toMatchFileSnapshot(`${GOLDEN}/${name}.way.txt`)
  })
})

function shown(color: boolean): string {
  const report = saturation.report(openSaturation())
  return renderReportTerminal(report, { color, width: 100, reportPath: null })
}

test('colour repeats what words say', () => {
  const colored = shown(true)
  expect(colored).toContain('\u001B[1;33mINCONCLUSIVE\u001B[0m')
  expect(stripVTControlCharacters(colored)).toBe(shown(false))
})
