/** What refusals ask for by `Retry-After`, in each form, and what is said of a form that is none. */
import { expect, test } from 'vitest'
import { limits } from '../../../../src/study/limits/study.ts'
import { refusedWith } from '../sample-limits.ts'

const DATE = { date: 'Sat, 21 Nov 2026 08:15:00 GMT' }

test.each([
  ['seconds', { 'retry-after': '50' }, 50_000, 'Retry-After 50.0 s'],
  ['a fraction', { 'retry-after': '0.5' }, 500, 'Retry-After 500 ms'],
  [
    'a date, by that of the answer',
    { 'retry-after': 'Sat, 21 Nov 2026 08:15:30 GMT', ...DATE },
    30_000,
    'Retry-After 30.0 s',
  ],
  ['words', { 'retry-after': 'later' }, null, 'a Retry-After that cannot be read'],
  ['nothing', {}, null, 'without Retry-After'],
])('%s', (_, headers, retryAfterMs, words) => {
  const document = refusedWith(headers)
  expect(document.operations.status!.refusal).toMatchObject({ retryAfterMs })
  expect(JSON.stringify(limits.report(document))).toContain(words)
})

test.each([
  ['0.5', 'Retry-After is "0.5", neither whole seconds nor a date'],
  ['1m30s', 'Retry-After is "1m30s", neither whole seconds nor a date'],
])('%s is no form of HTTP, and told as such', (text, told) => {
  const { findings } = refusedWith({ 'retry-after': text })
  const finding = findings.find(({ message }) => message.includes('Retry-After'))
  expect(finding).toMatchObject({ severity: 'warning', operation: 'status', text })
  expect(finding!.message).toContain(`status: ${told}`)
})

test.each(['50', ' 7 ', 'Sat, 21 Nov 2026 08:15:30 GMT'])('nothing is said of %s', (text) => {
  const { findings } = refusedWith({ 'retry-after': text, ...DATE })
  expect(findings.filter(({ message }) => message.includes('Retry-After'))).toEqual([])
})
