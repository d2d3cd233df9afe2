/** The blocks of a section: which media show each, and how. */
import { expect, test } from 'vitest'
import { Markup } from '../../../src/report/frame/markup.ts'
import type { Content } from '../../../src/report/frame/markup.ts'
import { createPaint } from '../../../src/report/frame/paint.ts'
import { markdownBlocks } from '../../../src/report/frame/render/markdown.ts'
import { pageBlocks } from '../../../src/report/frame/render/page.ts'
import { terminalBlocks } from '../../../src/report/frame/render/terminal.ts'
import type { Block } from '../../../src/report/frame/report.ts'

function onPage(...blocks: Block[]): string {
  const text = (content: Content): string =>
    content instanceof Markup ? content.text : (content as readonly Content[]).map(text).join('')
  return text(pageBlocks(blocks))
}

function onTerminal(title: string | null, ...blocks: Block[]): string[][] {
  return terminalBlocks({ title, blocks }, createPaint(false), 40)
}

const TABLE: Block = {
  kind: 'table',
  columns: [{ title: 'name' }, { title: 'time', kind: 'number' }, { title: 'seen', kind: 'code' }],
  rows: [['a', '12 ms', ['one', 'two <b>']]],
  empty: null,
}

test('a table stands everywhere, with several texts of a cell below each other on the page', () => {
  expect(onPage(TABLE)).toContain('<td class="code">one<br />two &lt;b&gt;<br /></td>')
  expect(onTerminal('Title', TABLE)).toEqual([
    ['  Title', '  name   time  seen', '  a     12 ms  one; two <b>'],
  ])
  expect(markdownBlocks({ title: 'Title', blocks: [TABLE] })).toEqual([
    '### Title',
    '| name | time | seen |\n| --- | --- | --- |\n| a | 12 ms | one; two &lt;b&gt; |',
  ])
})

test('without a title, blocks stand alone', () => {
  expect(onTerminal(null, { kind: 'prose', text: 'Words.' })).toEqual([['  Words.']])
  expect(markdownBlocks({ title: null, blocks: [{ kind: 'prose', text: 'Words.' }] })).toEqual([
    'Words.',
  ])
})

test('what is for the page alone leaves no title elsewhere', () => {
  const blocks: Block[] = [
    { kind: 'fold', title: 'More', blocks: [{ kind: 'prose', text: 'Inside.' }] },
    { kind: 'verbatim', text: 'crewload <run>', command: true },
    { kind: 'prose', text: 'Here.', on: ['page'] },
  ]
  const page = onPage(...blocks)
  expect(page).toMatch(/<details>\s*<summary>More<\/summary>\s*<p>Inside\.<\/p>/)
  expect(page).toContain('<pre class="command" tabindex="0">crewload &lt;run&gt;</pre>')
  expect(onTerminal('Title', ...blocks)).toEqual([])
  expect(markdownBlocks({ title: 'Title', blocks })).toEqual([])
})

test('lines are laid out for the width of the terminal, and stand there alone', () => {
  const lines: Block = { kind: 'lines', lines: (_, width) => [`${width} columns`] }
  expect(onTerminal('Title', lines)).toEqual([['  Title', '40 columns']])
  expect(onPage(lines)).toBe('')
  expect(markdownBlocks({ title: 'Title', blocks: [lines] })).toEqual([])
})

test.each([
  ['finding', '<h3>Words.</h3>'],
  ['advice', '<p class="advice">Words.</p>'],
  ['muted', '<p class="muted">Words.</p>'],
] as const)('prose as %s', (as, markup) => {
  expect(onPage({ kind: 'prose', as, text: 'Words.' })).toBe(markup)
})

test('what is to be copied keeps its lines, and stays text', () => {
  const block: Block = { kind: 'verbatim', text: 'a <b>\n```\n*c*' }
  expect(onPage(block)).toContain('<pre tabindex="0">a &lt;b&gt;\n```\n*c*</pre>')
  expect(markdownBlocks({ title: 'Title', blocks: [block] })).toEqual([
    '### Title',
    '````\na <b>\n```\n*c*\n````',
  ])
  expect(onTerminal('Title', block)).toEqual([])
})

test('a text that is too wide for the terminal continues below itself', () => {
  const block: Block = {
    kind: 'table',
    columns: [{ title: 'part' }, { title: 'learned' }],
    rows: [
      ['workers', 'ten of them, by the starts and ends of the ledger'],
      ['queue', 'none'],
    ],
    empty: null,
  }
  expect(onTerminal(null, block)).toEqual([
    [
      '  part     learned',
      '  workers  ten of them, by the starts',
      '           and ends of the ledger',
      '  queue    none',
    ],
  ])
})
