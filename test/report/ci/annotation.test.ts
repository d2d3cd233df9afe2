import { describe, expect, test } from 'vitest'
import { renderAnnotation } from '../../../src/report/frame/render/comment.ts'
import { runReport } from '../../../src/report/run/report.ts'
import { comparison } from '../../../src/study/comparing/comparison/study.ts'
import { SAMPLES } from '../../study/comparing/comparison/sample-comparisons.ts'
import { emptyDocument, steadyDocument } from '../run/sample-document.ts'
import { hostileReport } from './hostile.ts'

describe('an annotation of GitHub Actions', () => {
  test('is an error for a bad verdict, with per cent signs escaped', () => {
    expect(renderAnnotation(comparison.report(SAMPLES['losing']!()))).toBe(
      '::error title=REGRESSION%3A comparison::Over 5 and 5 runs, outcome.unserved rose by 3.89 ' +
        'percentage points (3.23 to 4.65), from 0 %25 to 3.89 %25.\n',
    )
  })

  test('is a warning for a doubtful one, and nothing for a good one', () => {
    expect(renderAnnotation(runReport(emptyDocument()))).toMatch(
      /^::warning title=INCONCLUSIVE%3A .*\n$/,
    )
    expect(renderAnnotation(runReport(steadyDocument()))).toBe('')
  })

  test('is one line and one command, whatever a target says', () => {
    const text = renderAnnotation(hostileReport())
    const [, name = '', message = ''] = /^::error title=([^:,]*)::(.*)\n$/.exec(text)!
    expect(name).toContain('FAILED%3A')
    expect(text.length).toBeLessThan(10_000)
    // A runner takes the message apart at these.
    for (const line of decodeURIComponent(message).split('\n')) expect(line).not.toMatch(/^\s*::/)
    expect(message).not.toMatch(/##\w*\[|\p{Cc}|\p{Bidi_Control}/u)
  })
})
