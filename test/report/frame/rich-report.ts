/** A report with every kind of block, cell and column: what the renderers are pinned on. */
import { html } from '../../../src/report/text/markup.ts'
import type { Block, Report } from '../../../src/report/frame/report.ts'
import type { Table } from '../../../src/report/text/table.ts'
import { columnsOf, pageTable } from '../../../src/report/text/table.ts'

const TASKS: Table = {
  kind: 'table',
  columns: [
    { title: 'task' },
    { title: 'p95', kind: 'number' },
    { title: 'interval', kind: 'unit' },
    { title: 'id', kind: 'code' },
    { title: 'bound', kind: 'bound' },
    { title: 'verdict' },
    { title: 'on the page', on: ['page'] },
    { title: 'what a reader of a narrow terminal finds in a table of its own' },
  ],
  rows: [
    ['plan', '1.20 s', '1.10 s', 'a1', '< 2 s', { text: 'met', tone: 'good' }, 'yes', 'one line'],
    ['write', '12.4 s', '500 ms', 'b2', '< 9 s', { text: 'missed', tone: 'bad' }, 'no', ['a', 'b']],
    [
      'read|me',
      '–',
      '2 min',
      'c3',
      '',
      { text: 'none', tone: 'muted' },
      '',
      { text: 'its run', href: 'runs/1/report.html' },
    ],
    ['<tell>', '7.00 s', '0.5 s', 'd4', '< 7 s', { text: '?', tone: 'doubt' }, '', ''],
  ],
  empty: null,
  terminalRows: 3,
  fixed: 1,
  stacks: true,
}

/** Its last text is too wide for a line, and its first column has no name. */
const LEARNED: Table = {
  kind: 'table',
  columns: [{ title: '' }, { title: 'value', kind: 'unit' }, { title: 'learned' }],
  rows: [
    ['workers', '10', 'from the ledger, by the starts and ends of all executions that were seen'],
    ['waits', '1.5 s', 'none'],
    ['shared', 'yes', 'in 3 minutes, within 3 min'],
    ['queue', 'too few', 'a\u0000b \u202Ec'],
  ],
  empty: null,
}

const BLOCKS: readonly Block[] = [
  { kind: 'prose', as: 'heading', text: 'Of 4 tasks 1 is late: write takes 12.4 s' },
  {
    kind: 'prose',
    text: 'What is longer than a line continues on the next one, wherever there is a line, and --max-kickoffs stays whole.',
  },
  { kind: 'prose', as: 'muted', text: 'For the page and for Markdown.', on: ['page', 'markdown'] },
  { kind: 'prose', as: 'advice', text: 'Do this.' },
  { kind: 'list', items: ['the first of two', 'the second, with <b> and *stars*'] },
  {
    kind: 'facts',
    facts: [
      { name: 'Seed', text: '42' },
      { name: 'Seen by', text: 'the page', on: ['page'] },
    ],
  },
  TASKS,
  { ...TASKS, rows: [], empty: 'No task ended.' },
  LEARNED,
  { kind: 'verbatim', text: 'polling: {\n  fixed: "2s",\n}' },
  { kind: 'verbatim', text: 'crewload run <it>', command: true },
  { kind: 'verbatim', text: 'a line\n  of text', onTerminal: true },
  {
    kind: 'fold',
    title: 'More',
    blocks: [
      { kind: 'prose', text: 'Inside of what is closed.' },
      { ...TASKS, rows: [], empty: null },
    ],
  },
]

const PICTURES: readonly Block[] = [
  {
    kind: 'figure',
    chart: {
      id: 'rates',
      heading: 'Throughput is flat from 2 connections on',
      caption: 'Each point is a rung.',
      x: { title: 'connections', kind: 'count' },
      panels: [
        {
          y: { title: 'answers per second', kind: 'count' },
          lines: [
            {
              name: 'measured',
              color: 'endToEnd',
              dash: '',
              points: [
                { x: 1, y: 40, tip: '1: 40' },
                { x: 2, y: 80 },
                { x: 3, y: 81, low: 75, high: 90 },
              ],
            },
          ],
        },
      ],
      moments: [{ at: 2, label: 'knee', color: 'grey' }],
      table: {
        columns: ['connections', 'per second'],
        rows: [
          ['1', '40'],
          ['2', '80'],
          ['3', '81'],
        ],
      },
    },
  },
  {
    kind: 'drawing',
    figure: {
      id: 'square',
      heading: 'A square of 9 px',
      caption: 'As wide as the page.',
      draw: (width) => ({ height: 8.5, body: html`<path d="M0 0h${width}v9h-9z" />` }),
      table: [pageTable(columnsOf([], ['side']), [['9 px']])],
    },
  },
]

const GATE = { meaning: null, note: null, next: null, margin: null }

const LEAD: readonly Block[] = [
  {
    kind: 'thresholds',
    rows: [
      {
        ...GATE,
        sign: '✓',
        word: 'met',
        tone: 'good',
        isPlain: true,
        name: 'plan.p95',
        note: 'default',
        measured: '1.20 s',
        interval: '1.00 to 1.40 s',
        bound: '< 2 s',
        margin: { value: 0.6, low: 0.5, high: 0.7, isUpper: true },
      },
      {
        ...GATE,
        sign: '✗',
        word: 'missed',
        tone: 'bad',
        isPlain: false,
        name: 'write.<b>',
        meaning: 'of those that ended',
        measured: 'never',
        interval: null,
        bound: '< 9 s',
        next: 'give it another worker, or ask for less than the whole of what it has to write',
        margin: { value: Infinity, low: null, high: null, isUpper: true },
      },
      {
        ...GATE,
        sign: '?',
        word: 'undecided',
        tone: 'doubt',
        isPlain: false,
        name: 'read.share',
        measured: '97 %',
        interval: '93 to 99 %',
        bound: '>= 95 %',
        next: 'run longer',
        margin: { value: 1.02, low: 0.98, high: 1.04, isUpper: false },
      },
    ],
  },
  { kind: 'prose', as: 'muted', text: 'Judged by the whole interval.' },
  { kind: 'prose', as: 'about', text: 'Written with `care`.', on: ['page'] },
]

export function richReport(): Report {
  return {
    title: 'sample of <everything>',
    headline: {
      word: 'NOT SURE',
      sign: '?',
      tone: 'doubt',
      sentence: 'One of 4 tasks is late.',
      more: 'The others are not.',
      basis: [{ text: '3 of 4 tasks met' }, { text: '! measurement not valid', tone: 'bad' }],
    },
    lead: LEAD,
    reasons: ['write is late: give it a worker', 'a target said <script>alert(1)</script>'],
    findings: [
      { severity: 'info', message: '3 polls opened a connection' },
      { severity: 'warning', message: 'the clock stepped by 2 s' },
      { severity: 'problem', message: 'the ledger has 1 kickoff more' },
    ],
    facts: [
      { name: 'Extent', text: '215 executions in 30 min' },
      { name: 'Page', text: 'only here', on: ['page'] },
      { name: 'Lines', text: 'only there', on: ['terminal', 'markdown'] },
    ],
    sections: [
      { title: 'Everything', blocks: BLOCKS },
      { title: 'Pictures', blocks: PICTURES },
      { chapter: 'Of two parts', title: null, blocks: [{ kind: 'prose', text: 'The first.' }] },
      {
        chapter: 'Of two parts',
        title: 'A part',
        blocks: [{ kind: 'prose', text: 'The second.' }],
      },
      { title: 'Nothing', blocks: [{ kind: 'list', items: [] }] },
      {
        title: 'On the terminal alone',
        blocks: [{ kind: 'prose', text: 'Here.', on: ['terminal'] }],
      },
      {
        title: 'On the page alone',
        blocks: [{ kind: 'prose', text: 'Here.', on: ['page'] }],
      },
    ],
    files: [
      ['sample.json', 'every number'],
      ['junit.xml', 'the verdict'],
    ],
    command: "crewload sample --header 'x: `1`'",
    origin: {
      name: 'Crew',
      target: 'https://crew.example/a?b=<c>&d',
      proxy: 'http://proxy.example:3128',
      startedAt: '2026-11-21T08:15:00.000Z',
      virtual: 'computed',
      durationMs: 12_345,
      tool: 'crewload 0.1.0, study 1a2b3c4d',
    },
    cases: [
      { name: 'verdict', result: { kind: 'failure', message: '"late" & <so on>' } },
      { name: 'task', result: { kind: 'passed' } },
      { name: 'task', result: { kind: 'skipped', message: 'too few' } },
      { name: 'clock', result: { kind: 'error', message: 'stepped' } },
    ],
  }
}
