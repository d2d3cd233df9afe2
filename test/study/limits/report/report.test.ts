import { expect, test } from 'vitest'
import { renderPage } from '../../../../src/report/frame/render/page.ts'
import { renderTerminal } from '../../../../src/report/frame/render/terminal.ts'
import { studyFiles } from '../../../../src/study/frame/conduct/stored.ts'
import { limits } from '../../../../src/study/limits/study.ts'
import { describeStudy } from '../../reports.ts'
import { answered, cannotTell, failing, lost } from '../sample-limits.ts'

describeStudy(limits, { answered, cannotTell, lost, failing })

test('the heading of the page is what a client should do; the limits follow it', () => {
  const page = renderPage(limits.report(answered())).replaceAll('\u00A0', ' ')
  expect(page).toMatch(/<h1>.*Send at most 53\.4 polls per minute in all\.<\/h1>/)
  expect(page).toMatch(/<p class="lede">inputs: 3,000 requests in 60\.0 s/)
})

test('the recommended rate stands once, in the head', () => {
  const report = limits.report(answered())
  const page = renderPage(report).replaceAll('\u00A0', ' ')
  const shown = renderTerminal(report, { color: false, width: 80, reportPath: null })
  for (const text of [page.slice(page.indexOf('<body')), shown]) {
    expect(text.replaceAll(/\s+/g, ' ').split('53.4 polls per minute')).toHaveLength(2)
  }
})

test('what no experiment has confirmed is not told as nearly certain', () => {
  expect(lost().operations.status).toMatchObject({ outcome: 'target-fails', probability: 0.95 })
  expect(answered().operations.status).toMatchObject({ outcome: 'settled', probability: 0.9998 })
  const shown = renderPage(limits.report(lost()))
  expect(shown).not.toContain('over 99.9')
  expect(shown).toContain('not confirmed')
})

test('failures are told by their status', () => {
  const page = renderPage(limits.report(failing())).replaceAll('\u00A0', ' ')
  expect(failing().operations.status!.failures).toEqual([
    { status: 500, requests: 2 },
    { status: null, requests: 1 },
  ])
  expect(page).toContain('500 for 2 of 12 requests; no answer to 1')
})

test('where the table of limits stacks, each number is labelled', () => {
  const page = renderPage(limits.report(answered()))
  for (const label of ['certainty', 'safe rate', 'requests']) {
    expect(page).toContain(`data-label="${label}"`)
  }
})

test('a reason is told to its end, wherever it is told', () => {
  const document = cannotTell(
    'Refusals at random explain the answers almost as well as any limiter: there may be none, or ' +
      'another client may use the same one. More requests would settle it, with a token that ' +
      'nobody else uses.',
  )
  const { message, remedy } = document.verdict.reasons[0]!
  expect(message.length).toBeGreaterThan(200)
  const { 'limits.json': _, ...files } = studyFiles(limits, document)
  const shown = renderTerminal(limits.report(document), {
    color: false,
    width: 80,
    reportPath: null,
  })
  for (const text of [shown, ...Object.values(files)]) {
    expect(text.replaceAll(/<\/?span[^>]*>/g, '').replaceAll(/\s+/g, ' ')).toContain(
      `${message}: ${remedy}`,
    )
  }
})
