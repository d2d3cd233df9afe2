import { describe, expect, test } from 'vitest'
import { reportFiles } from '../../../src/report/frame/render/files.ts'
import { junitMistakes } from '../../support/ci/junit-10.ts'
import { hostileReport } from '../ci/hostile.ts'

/** Of the other files the hostile texts would make hundreds of megabytes. */
const UNSHOWN = { reasons: [], findings: [], facts: [], sections: [], command: null }

const XML = reportFiles({ ...hostileReport(0), ...UNSHOWN })['junit.xml']!

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
