/** A report whose every text tries to act, and is long. */
import type { Report } from '../../../src/report/frame/report.ts'

const EVIL = [
  '\u001B]0;title\u0007\u0000\u202E]]><script>alert(1)</script>&lt;&amp;"\'',
  '::error title=a,b::owned %0A::error::owned',
  '##vso[task.complete]##[error]',
  '@team GH-123 #123 !123 &123 org/repo#123 https://evil.example www.evil.example',
  '![x](https://evil.example/a.png) [x](y) `a` | b | **c** ~~d~~ _e_ <!-- /close',
  '/close\r\n::error::owned\n@team\n## PASSED',
].join('\n')

const HOSTILE = EVIL.repeat(Math.ceil(1_000_000 / EVIL.length))

export function hostileReport(rows = 100): Report {
  const columns = ['a', 'b', 'c', HOSTILE].map((title) => ({ title }))
  return {
    title: HOSTILE,
    headline: { word: 'FAILED', sign: '✗', tone: 'bad', sentence: HOSTILE },
    reasons: Array.from({ length: 50 }, () => HOSTILE),
    findings: [{ severity: 'problem', message: HOSTILE }],
    facts: [{ name: 'Base', text: HOSTILE }],
    sections: [
      {
        title: 'What changed',
        blocks: [
          { kind: 'prose', text: HOSTILE },
          {
            kind: 'table',
            columns,
            rows: Array.from({ length: rows }, () => columns.map(() => HOSTILE)),
            empty: null,
          },
        ],
      },
    ],
    files: [],
    command: HOSTILE,
    origin: { target: HOSTILE, startedAt: '2026-11-22T12:00:00Z', durationMs: 1, tool: HOSTILE },
    cases: (['passed', 'failure', 'error', 'skipped'] as const).map((kind) => ({
      name: HOSTILE,
      result: kind === 'passed' ? { kind } : { kind, message: HOSTILE },
    })),
  }
}

/** What acts in Markdown on GitHub or GitLab outside of code, or on who keeps the log. */
export const LIVE_IN_MARKDOWN = [
  /^\s*::[a-z]/im,
  /##\w*\[/,
  /[^\P{Cc}\n]|\p{Bidi_Control}/u,
  /@\w|#\d|GH-\d|![\d[]|&123|&amp;123/i,
  /(?<!\\)[<[](?!\/?sub>)|\bwww\.|:\/\//,
  /^\//m,
]

/** The text without its code spans, in which nothing acts. */
export function withoutCode(markdown: string): string {
  return markdown.replaceAll(/(?<![`\\])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
}
