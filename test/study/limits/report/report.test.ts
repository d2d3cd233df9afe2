import { expect, test } from 'vitest'
import { renderPage } from '../../../../src/report/frame/render/page.ts'
import { renderTerminal } from '../../../../src/report/frame/render/terminal.ts'
import { limits } from '../../../../src/study/limits/study.ts'
import { describeStudy } from '../../reports.ts'
import { answered, cannotTell, failing, lost } from '../sample-limits.ts'

describeStudy(limits, { answered, cannotTell, lost, failing })

function pageOf(document: ReturnType<typeof answered>): string {
  return renderPage(limits.report(document)).replaceAll('\u00A0', ' ')
}

test('the heading is what a client should do, the limits follow it, and numbers have labels', () => {
  const page = pageOf(answered())
  expect(page).toMatch(/<h1>.*Send at most 53\.4 polls per minute in all\.<\/h1>/)
  expect(page).toMatch(/<p class="lede">inputs: 3,000 requests in 60\.0 s/)
  for (const label of ['certainty', 'safe rate', 'requests']) {
    expect(page).toContain(`data-label="${label}"`)
  }
})

test('the recommended rate stands once, in the head', () => {
  const page = pageOf(answered())
  const terminal = { color: false, width: 80, reportPath: null }
  const shown = renderTerminal(limits.report(answered()), terminal)
  for (const text of [page.slice(page.indexOf('<body')), shown]) {
    expect(text.replaceAll(/\s+/g, ' ').split('53.4 polls per minute')).toHaveLength(2)
  }
})

test('what no experiment has confirmed is not told as nearly certain', () => {
  expect(lost().operations.status).toMatchObject({ outcome: 'lost', probability: 0.95 })
  expect(answered().operations.status).toMatchObject({ outcome: 'settled', probability: 0.9998 })
  const shown = pageOf(lost())
  expect(shown).not.toContain('over 99.9')
  expect(shown).toContain('not confirmed')
})

test('failures are told by their status', () => {
  expect(failing().operations.status!.failures).toEqual([
    { status: 500, requests: 2 },
    { status: null, requests: 1 },
  ])
  expect(pageOf(failing())).toContain('500 for 2 of 12 requests; no answer to 1')
})
