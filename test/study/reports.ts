/**
 * What every study owes its readers. Its report is pinned as a value: of the first sample the whole,
 * of each other sample what it says in sentences. Run with `-u`, and read the difference.
 */
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { renderPlanText } from '../../src/report/frame/render/terminal.ts'
import type { StudyDocument } from '../../src/study/frame/envelope.ts'
import { studyJsonSchema } from '../../src/study/frame/study.ts'
import type { Study } from '../../src/study/frame/study.ts'
import { once } from '../support/study-samples.ts'
import { abridged, describeReports, reportLines } from '../report/reports.ts'

type Samples<Document> = Readonly<Record<string, () => Document>>

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
addFormats.default(ajv)

/**
 * The golden file is `report/NAME.txt`. `way`: the lines that are told of a document on the way; of
 * the first sample all of them are pinned, of each other the first.
 */
export function describeStudy<Plan, Document extends StudyDocument & { plan?: Plan }>(
  study: Study<Plan, Document>,
  samples: Samples<Document>,
  way: (document: Document) => readonly string[] = () => [],
): void {
  const entries = Object.entries(samples).map(([name, create]) => [name, once(create)] as const)
  const golden = fileURLToPath(new URL(`../golden/report/${study.name}.txt`, import.meta.url))
  const validate = ajv.compile(studyJsonSchema(study))

  test(`what the report of ${study.name} says`, async () => {
    const texts = entries.flatMap(([name, create], at) => {
      const document = create()
      const isWhole = at === 0
      const told = [`==== ${name}: ${study.exit(document)}`]
      if (isWhole && document.plan !== undefined) {
        told.push(renderPlanText(study.planText(document.plan)))
      }
      const lines = way(document)
      told.push(...(isWhole ? abridged(lines) : lines.slice(0, 1)))
      return told.concat(reportLines(study.report(document), isWhole), '')
    })
    await expect(texts.join('\n')).toMatchFileSnapshot(golden)
  })

  test('its schema refuses a document without a verdict', () => {
    const { verdict: _, ...rest } = entries[0]![1]()
    validate(JSON.parse(JSON.stringify(rest)))
    expect(validate.errors).toMatchObject([{ instancePath: '', keyword: 'required' }])
  })

  const reports = entries.map(([name, create]) => {
    return [name, () => study.report(create())] as const
  })
  describeReports(Object.fromEntries(reports), 80)

  test.each(entries)('%s: the document follows its schema, and the published one', (_, create) => {
    const document = create()
    const stored: unknown = JSON.parse(JSON.stringify(document))
    expect(study.schema.parse(stored)).toEqual(document)
    validate(stored)
    expect(validate.errors).toBeNull()
  })
}
