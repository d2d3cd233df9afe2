/** What is kept and shown of what k6 says. */
import { describe, expect, test } from 'vitest'
import { K6Output } from '../../../src/run/k6/output.ts'

/** The first column of the first line comes from that of a file below the working directory. */
const MAP = JSON.stringify({
  version: 3,
  sources: ['sub/mine.ts'],
  names: [],
  mappings: 'AAAA',
})

function words(): K6Output {
  return new K6Output({ secrets: ['sesame-4711'], map: MAP })
}

describe('the words of k6', () => {
  test('keep the first lines and the last ones: why it ended stands at the end', () => {
    const heard = words()
    const shown = Array.from({ length: 20 }, (_, i) => heard.heard(`line ${i + 1}`))
    expect(shown.filter((line) => line !== null)).toHaveLength(12)
    expect(String(heard)).toBe(
      [
        'line 1 | line 2 | line 3 | line 4 | line 5 | line 6 | (8 more lines)',
        'line 15 | line 16 | line 17 | line 18 | line 19 | line 20',
      ].join(' | '),
    )
  })

  test.each([
    ['file:///tmp/crewload-k6-Ab/crewload.js:1:1(45)', 'sub/mine.ts:1:1'],
    ['/tmp/crewload-k6-Ab/crewload.js:1:1', 'sub/mine.ts:1:1'],
    ['/tmp/other.js:1:1', '/tmp/other.js:1:1'],
  ])('tell the place %s as %s', (place, told) => {
    expect(words().heard(`at f (${place})`)).toBe(`at f (${told})`)
  })

  test('hold no token', () => {
    expect(words().heard('Bearer sesame-4711')).not.toContain('4711')
  })

  test('tell that the script threw by a frame of its stack alone', () => {
    const heard = words()
    heard.heard('script file:///tmp/x/crewload.js:1:1 is slow')
    expect(heard.threw).toBe(false)
    heard.heard('Error: boom')
    heard.heard('at file:///tmp/x/crewload.js:1:1(7)')
    expect(heard.threw).toBe(true)
  })
})
