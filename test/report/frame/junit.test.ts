import { describe, expect, test } from 'vitest'
import { reportFiles } from '../../../src/report/frame/render/files.ts'
import { junitMistakes } from '../../support/ci/junit-10.ts'
import { hostileReport } from '../ci/hostile.ts'

const FILES = reportFiles(hostileReport())
const XML = FILES['junit.xml']!

test('the page of texts of 1 MB states what it leaves out of each', () => {
  expect(FILES['report.html']!.length).toBeLessThan(20_000_000)
  expect(FILES['report.html']).toMatch(/… and 99\d,\d{3} more characters<\/td>/)
})

describe('junit.xml is accepted by Jenkins', () => {
  test('when a target says what would end an element, at a length of 1 MB', () => {
    expect(junitMistakes(XML)).toEqual([])
    expect(XML.length).toBeLessThan(20_000)
    expect(XML).not.toMatch(/^\s*::/m)
  })

  test.each([
    ['name="', 'nome="', 'nome is not allowed in testsuite'],
    ['message="', 'message="&', 'message has a bare &'],
    ['</testcase>', '', '</testsuite> closes another element'],
    ['time="0.001"', 'time="1 s"', '1 s is no time'],
    ['message="', 'message="\u0001', 'it has a character that XML forbids'],
    ['message="', 'message="]]><b>', 'is no element'],
  ])('and %s for %s would be found', (part, other, mistake) => {
    const xml = XML.replace(part, other)
    expect(junitMistakes(xml).join('\n')).toContain(mistake)
  })
})
