/** Against files that people have read: run with `-u` and read the difference. */
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { SaturationDocument } from '../../../../src/study/saturation/document.ts'
import {
  renderRungLine,
  renderSaturation,
  renderSaturationPlan,
} from '../../../../src/study/saturation/report/terminal.ts'
import { renderSaturationMarkdown } from '../../../../src/study/saturation/report/markdown.ts'
import {
  collapsingSaturation,
  emptySaturation,
  flatSaturation,
  limitedSaturation,
  openSaturation,
  roughSaturation,
} from './sample-saturations.ts'

const DOCUMENTS: Record<string, () => SaturationDocument> = {
  flat: flatSaturation,
  collapsing: collapsingSaturation,
  open: openSaturation,
  limited: limitedSaturation,
  rough: roughSaturation,
  empty: emptySaturation,
}

const GOLDEN = '../../../golden/report/saturation'

describe.each(Object.entries(DOCUMENTS))('%s', (name, create) => {
  test('terminal, 100 columns', async () => {
    const options = { color: false, width: 100, reportPath: 'reports/saturate/report.html' }
    await expect(renderSaturation(create(), options)).toMatchFileSnapshot(
      `${GOLDEN}/${name}.terminal.txt`,
    )
  })

  test('summary.md', async () => {
    await expect(renderSaturationMarkdown(create())).toMatchFileSnapshot(
      `${GOLDEN}/${name}.summary.md`,
    )
  })

  test('plan and rungs as they are told on the way', async () => {
    const { run, rungs } = create()
    const text = `${renderSaturationPlan(run)}\n${rungs.map((rung) => `${renderRungLine(rung)}\n`).join('')}`
    await expect(text).toMatchFileSnapshot(`${GOLDEN}/${name}.way.txt`)
  })
})

function shown(color: boolean): string {
  return renderSaturation(openSaturation(), { color, width: 100, reportPath: null })
}

test('colour repeats what words say', () => {
  const colored = shown(true)
  expect(colored).toContain('\u001B[1;33mINCONCLUSIVE\u001B[0m')
  expect(stripVTControlCharacters(colored)).toBe(shown(false))
})
