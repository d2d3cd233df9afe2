/** What `report.html` of any study must be. */
import { describe, expect, test } from 'vitest'

const ELEMENTS = ['section', 'figure', 'svg', 'table', 'tr', 'td', 'dl', 'details', 'g']

interface Judged {
  verdict: { sentence: string }
}

export function describePages<Document extends Judged>(
  documents: readonly [name: string, create: () => Document][],
  pageOf: (document: Document) => string,
): void {
  describe.each(documents)('%s', (_, create) => {
    const page = pageOf(create())

    test('is the same for the same document', () => {
      expect(pageOf(create())).toBe(page)
    })

    test('holds no number that is none, and nothing from outside', () => {
      expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
      expect(page).not.toMatch(/src="|href="(?!#section-|[a-z]+\.(?:json|md|xml)")/)
    })

    test('opens and closes every element', () => {
      for (const name of ELEMENTS) {
        const opened = page.match(new RegExp(`<${name}[\\s>]`, 'g'))?.length ?? 0
        const closed = page.match(new RegExp(`</${name}\\s*>`, 'g'))?.length ?? 0
        expect([name, closed]).toEqual([name, opened])
      }
    })

    test('begins with the verdict, in words', () => {
      expect(headingOf(page)).toContain(create().verdict.sentence)
    })
  })
}

/** The verdict as people read it: its first sentence is the heading, the others follow. */
export function headingOf(page: string): string {
  const [, heading = ''] = /<h1>(.*?)<\/h1>/s.exec(page) ?? []
  const [, lede = ''] = /<\/h1>\s*<p class="lede">(.*?)<\/p>/s.exec(page) ?? []
  return `${heading} ${lede}`
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('\u00A0', ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
