/** An agreement as people read it: golden files, the width of a terminal, and the page. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import type { AgreementDocument } from '../../../../src/study/agreement/document.ts'
import { renderReportTerminal } from '../../../../src/report/frame/render/terminal.ts'
import type { TerminalOptions } from '../../../../src/report/frame/render/terminal.ts'
import { agreementReport } from '../../../../src/study/agreement/report/report.ts'
import { agreement } from '../../../../src/study/agreement/study.ts'
import { studyFiles } from '../../../../src/study/frame/files.ts'
import { studyJsonSchema } from '../../../../src/study/frame/json-schema.ts'
import { agree, madeUpRun } from '../../../support/made-up-runs.ts'

/** Everything the same, but for phase and jitter. */
function agreeing(): AgreementDocument {
  return agree(
    madeUpRun('node'),
    madeUpRun('virtual', { engine: 'virtual', noise: 2 }),
    madeUpRun('k6', { engine: 'k6', noise: 3 }),
  )
}

/**
 * Executions under k6 take a fifth longer, an outcome is another, and kickoffs are late; virtual
 * was cut short.
 */
function differing(): AgreementDocument {
  return agree(
    madeUpRun('node'),
    madeUpRun('k6', {
      engine: 'k6',
      spoil: (told) => {
        told.executionMicros = Math.round(told.executionMicros! * 1.2)
        told.lateMicros = told.index % 50 === 0 ? 9_000 : 100
        if (told.index === 3) told.outcome = 'lost'
      },
    }),
    madeUpRun('virtual', {
      engine: 'virtual',
      executions: 200,
      document: ({ run }) => {
        run.stopped = 'drained'
      },
    }),
  )
}

/** Foreign text wherever a run can bring it. */
function hostile(): AgreementDocument {
  const document = agreeing()
  const text = '</title><script>alert(1)</script> `|` @team \u202E\u001B[31m'
  document.profile = `fake crew "${text}"`
  document.scenario = text
  document.command = `crewload run ${text}`
  document.trials[1]!.verdict.sentence = text
  const reason = { code: 'invalid', message: text, remedy: '' }
  document.verdict = { outcome: 'invalid', reasons: [reason, reason], sentence: `${text}.` }
  return document
}

const DOCUMENTS = {
  agree: agreeing,
  differ: differing,
  alone: () => agree(madeUpRun('node', { executions: 40 })),
  hostile,
}

function terminalOf(document: AgreementDocument, options: TerminalOptions): string {
  return renderReportTerminal(agreementReport(document), options)
}

function fileOf(document: AgreementDocument, name: string): string {
  return studyFiles(agreement, document)[name]!
}

const GOLDEN = '../../../golden/report'

describe.each(Object.entries(DOCUMENTS))('%s', (name, create) => {
  const document = create()

  test('terminal, 100 columns', async () => {
    const options = { color: false, width: 100, reportPath: 'reports/steady/report.html' }
    await expect(terminalOf(document, options)).toMatchFileSnapshot(
      `${GOLDEN}/agreement-${name}.terminal.txt`,
    )
  })

  test('summary.md', async () => {
    await expect(fileOf(document, 'summary.md')).toMatchFileSnapshot(
      `${GOLDEN}/agreement-${name}.summary.md`,
    )
  })

  test('junit.xml', async () => {
    await expect(fileOf(document, 'junit.xml')).toMatchFileSnapshot(
      `${GOLDEN}/agreement-${name}.junit.xml`,
    )
  })

  test('the page shows the sentence, every run and every aspect, and no foreign markup', () => {
    const page = fileOf(document, 'report.html')
    expect(page).not.toContain('<script>alert')
    expect(page).not.toContain('\u202E')
    for (const run of document.trials) {
      expect(page).toContain(`<a href="${run.folder}/report.html">${run.name}</a>`)
    }
    expect(page.match(/<figure /g) ?? []).toHaveLength(document.trials.length > 1 ? 2 : 0)
  })

  test('follows the published schema', () => {
    const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
    addFormats.default(ajv)
    const validate = ajv.compile(studyJsonSchema(agreement))
    validate(JSON.parse(JSON.stringify(document)))
    expect(validate.errors).toBeNull()
    expect(validate({ ...document, trials: 3 })).toBe(false)
  })
})

describe('in a narrow terminal', () => {
  const document = agreeing()

  test.each([80, 100, 200])('no line is wider than %i columns', (width) => {
    const text = terminalOf(document, { color: false, width, reportPath: null })
    for (const line of text.split('\n')) expect(Array.from(line).length).toBeLessThanOrEqual(width)
  })

  test('the runs stand in several tables, each with the reference', () => {
    const text = terminalOf(document, { color: false, width: 80, reportPath: null })
    expect(text.match(/^ +result +aspect +bound +node +\S+$/gm)).toHaveLength(2)
  })
})

test('colour only repeats what the words say', () => {
  const document = differing()
  const options = { width: 100, reportPath: null }
  const painted = terminalOf(document, { ...options, color: true })
  const plain = terminalOf(document, { ...options, color: false })
  // oxlint-disable-next-line no-control-regex
  expect(painted.replaceAll(/\u001B\[[\d;]+m/g, '')).toBe(plain)
  expect(painted).not.toBe(plain)
})
