/** Against files that people have read: run with `-u` and read the difference. */
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { RecoveryDocument } from '../../../../src/study/recovery/document.ts'
import {
  renderRecovery,
  renderRecoveryPlan,
  renderTrialLine,
} from '../../../../src/study/recovery/report/terminal.ts'
import { renderRecoveryMarkdown } from '../../../../src/study/recovery/report/markdown.ts'
import { disagreeing, empty, recovering, tipping, untriggered } from './sample-recoveries.ts'

const DOCUMENTS: Record<string, () => RecoveryDocument> = {
  recovering,
  tipping,
  disagreeing,
  untriggered,
  empty,
}
const GOLDEN = '../../../golden/report/recovery'

describe.each(Object.entries(DOCUMENTS))('%s', (name, create) => {
  test('terminal, 100 columns', async () => {
    const options = { color: false, width: 100, reportPath: 'reports/recovery/report.html' }
    await expect(renderRecovery(create(), options)).toMatchFileSnapshot(
      `${GOLDEN}/${name}.terminal.txt`,
    )
  })

  test('summary.md', async () => {
    await expect(renderRecoveryMarkdown(create())).toMatchFileSnapshot(
      `${GOLDEN}/${name}.summary.md`,
    )
  })

  test('plan and trials as they are told on the way', async () => {
    const { run, trials } = create()
    const text = `${renderRecoveryPlan(run)}\n${trials.map((trial) => `${renderTrialLine(trial)}\n`).join('')}`
    await expect(text).toMatchFileSnapshot(`${GOLDEN}/${name}.way.txt`)
  })
})

function shown(color: boolean): string {
  return renderRecovery(tipping(), { color, width: 100, reportPath: null })
}

test('colour repeats what words say', () => {
  expect(shown(true)).toContain('\u001B[1;31mDOES NOT RECOVER\u001B[0m')
  expect(stripVTControlCharacters(shown(true))).toBe(shown(false))
})
