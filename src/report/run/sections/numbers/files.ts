/** The files beside the page, each with a description of its content. */
import type { ResultDocument } from '../../../../result/document.ts'
import type { RunSection } from '../section.ts'

export const FILES: RunSection = {
  chapter: 'All numbers',
  title: 'Files beside this one',
  blocks: (document) => [
    {
      kind: 'table',
      columns: [{ title: 'file', kind: 'code' }, { title: 'content' }],
      rows: filesOf(document).map(([name, holds]) => [{ text: name, href: name }, holds]),
      empty: null,
      on: ['page'],
    },
  ],
}

function filesOf({ ledger, faults }: ResultDocument): (readonly [name: string, holds: string])[] {
  return [...ALWAYS, ...(ledger === null ? [] : OF_LEDGER), ...(faults === null ? [] : OF_FAULTS)]
}

const ALWAYS = [
  ['result.json', 'every number shown here, with its HDR histograms'],
  ['executions.ndjson', 'the journal: one line per event, with the record of each execution'],
  ['histograms.hlog', 'the histograms, in the format of other HDR tools'],
  ['summary.md', 'the report as Markdown'],
  ['comment.md', 'the short form, for a comment on a pull request'],
  ['junit.xml', 'one test case per threshold, for CI servers'],
] as const

/** Files that exist only when the target keeps a ledger. */
const OF_LEDGER = [
  ['ledger.ndjson', 'the fake crew’s own account: one line per execution'],
  ['clock.json', 'the mapping of the fake crew’s clock to this run’s, with its error'],
] as const

const OF_FAULTS = [
  ['faults.json', 'when each fault of the fake crew was on, and which answers it changed'],
] as const
