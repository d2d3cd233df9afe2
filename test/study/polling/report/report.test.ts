import { expect, test } from 'vitest'
import { renderPage } from '../../../../src/report/frame/render/page.ts'
import { polling } from '../../../../src/study/polling/study.ts'
import { describeStudy } from '../../reports.ts'
import { answered, impossible, lost, promised, pushed, tooFew } from '../sample-pollings.ts'

describeStudy(polling, { promised, answered, pushed, impossible, tooFew, lost })

test('the page has the settings to paste and a point for each strategy', () => {
  const page = renderPage(polling.report(answered()))
  expect(page).toContain('polling: { fixed: &#39;11.4s&#39;, initialDelay: &#39;27.1s&#39; },')
  // Those on the front, today's and the recommended one, in two panels of three widths.
  const points = page.match(/<(?:circle|path)\s[^>]*data-tip="[^"]* polls, [^"]*"/g)
  expect(points).toHaveLength(3 * 2 * (answered().front.length + 2))
  expect(page).toContain('function nextWait(')
  expect(page).toContain('def next_wait(')
})

test('the page says by which executions fitted strategies are judged', () => {
  const page = renderPage(polling.report(answered()))
  expect(page).toContain('are judged by other executions. From 1,000 on, all executions judge them')
})

test('the recommended strategy has a shape of its own, so that no colour is needed to find it', () => {
  const page = renderPage(polling.report(answered()))
  const shapes = [...page.matchAll(/<(circle|path)\s[^>]*data-tip="([^"]*) polls, [^"]*"/g)]
  const own = shapes.filter(([, shape]) => shape === 'path')
  expect(own.map(([, , tip]) => tip)).toEqual(
    Array(own.length).fill(expect.stringContaining('6.34')),
  )
  expect(own.length).toBeGreaterThan(0)
  expect(shapes.length).toBeGreaterThan(own.length)
  expect(page).toContain('The recommended strategy is the green diamond')
})
