/** The texts of a study against files that people have read: run with `-u`, read the difference. */
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { renderReportPage } from '../../src/report/frame/render/page.ts'
import { renderReportTerminal } from '../../src/report/frame/render/terminal.ts'
import type { StudyDocument } from '../../src/study/frame/envelope.ts'
import { studyFiles } from '../../src/study/frame/files.ts'
import { pageFaults } from '../support/page-faults.ts'
import type { Study } from '../../src/study/frame/study.ts'

/** The files `report/NAME/SAMPLE.*` in the folder of goldens. */
export function describeTexts<Plan, Document extends StudyDocument>(
  study: Study<Plan, Document>,
  samples: Readonly<Record<string, () => Document>>,
): void {
  const folder = fileURLToPath(new URL(`../golden/report/${study.name}`, import.meta.url))

  describe.each(Object.entries(samples))('%s', (name, create) => {
    test('terminal, 80 columns', async () => {
      const options = { color: false, width: 80, reportPath: 'reports/s/report.html' }
      const text = renderReportTerminal(study.report(create()), options)
      await expect(text).toMatchFileSnapshot(`${folder}/${name}.terminal.txt`)
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    })

    test.each(['summary.md', 'comment.md', 'junit.xml'])('%s', async (file) => {
      const { [file]: text = '' } = studyFiles(study, create())
      await expect(text).toMatchFileSnapshot(`${folder}/${name}.${file}`)
    })

    test('its page reads well, for a screen reader too', () => {
      expect(pageFaults(renderReportPage(study.report(create())))).toEqual([])
    })

    test('its document follows its schema', () => {
      const document = create()
      expect(study.schema.parse(JSON.parse(JSON.stringify(document)))).toEqual(document)
    })
  })
}
