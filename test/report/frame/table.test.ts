import { describe, expect, test } from 'vitest'
import { html } from '../../../src/report/frame/markup.ts'
import { table } from '../../../src/report/frame/table.ts'

/** The classes of the cells of each row, the heads first. */
function classesOf(page: string): string[][] {
  return [...page.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*class="([^"]*)"/g)].map(([, name = '']) => name),
  )
}

const COLUMNS = [
  { title: 'task' },
  { title: 'p95', kind: 'number' },
  { title: 'id', kind: 'code' },
  { title: 'bound', kind: 'bound' },
] as const

describe('a table', () => {
  test('gives head and cells of each column the class of its kind', () => {
    const rows = [
      ['research', '1.20 s', 'a1', '< 2 s'],
      ['write', '3.40 s', 'b2', '< 2 s'],
    ]
    const kinds = ['text', 'number', 'code', 'bound']
    expect(classesOf(table(COLUMNS, rows).text)).toEqual([kinds, kinds, kinds])
  })

  test('that stacks names numbers and bounds by their columns, for their headings are gone', () => {
    const columns = [...COLUMNS, { title: 'Runs', kind: 'bound' } as const]
    const rows = [['research', '1.20 s', 'a1', '< 2 s', '5 and 6']]
    const labels = [...table(columns, rows, '', 'stack').text.matchAll(/data-label="([^"]*)"/g)]
    expect(labels.map(([, label]) => label)).toEqual(['p95', 'bound', 'Runs'])
    expect(table(columns, rows).text).not.toContain('data-label')
  })

  test('says so when it has no rows, and only then', () => {
    expect(table(COLUMNS, [], 'No task ended.').text).toContain('No task ended.')
    expect(table(COLUMNS, [['a', 'b', 'c', 'd']], 'No task ended.').text).not.toContain('No task')
  })

  test('is named for a screen reader by its columns, and escapes what a target says', () => {
    const { text: page } = table([{ title: 'task' }, { title: '' }], [['<b>', html`<i>own</i>`]])
    expect(page).toContain('aria-label="task"')
    expect(page).toMatch(/&lt;b(?:>|&gt;)/)
    expect(page).toContain('<i>own</i>')
  })
})
