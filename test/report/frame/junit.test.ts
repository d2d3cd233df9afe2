import { describe, expect, test } from 'vitest'
import { renderJUnit } from '../../../src/report/frame/render/junit.ts'
import { junitMistakes } from '../../support/ci/junit-10.ts'
import { hostileReport } from '../ci/hostile.ts'

function hostile(): string {
  return renderJUnit(hostileReport())
}

describe('junit.xml is accepted by Jenkins', () => {
  test('when a target says what would end an element, at a length of 1 MB', () => {
    const xml = hostile()
    expect(junitMistakes(xml)).toEqual([])
    expect(xml.length).toBeLessThan(20_000)
    expect(xml).not.toMatch(/^\s*::/m)
  })

  test.each([
    ['name="', 'nome="', 'nome is not allowed in testsuite'],
    ['message="', 'message="&', 'message has a bare &'],
    ['</testcase>', '', '</testsuite> closes another element'],
    ['time="0.001"', 'time="1 s"', '1 s is no time'],
    ['message="', 'message="\u0001', 'it has a character that XML forbids'],
    ['message="', 'message="]]><b>', 'is no element'],
  ])('and %s for %s would be found', (part, other, mistake) => {
    const xml = hostile().replace(part, other)
    expect(junitMistakes(xml).join('\n')).toContain(mistake)
  })
})
