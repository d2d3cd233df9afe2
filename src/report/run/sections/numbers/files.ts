/** The files beside the page, each with what it holds. */
import type { ResultDocument } from '../../../../analysis/document.ts'
import type { RunSection } from '../section.ts'

export const FILES: RunSection = {
  chapter: 'All numbers',
  title: 'Beside this file',
  blocks: (document) => [
    {
      kind: 'table',
      columns: [{ title: 'file', kind: 'code' }, { title: 'what it holds' }],
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
  ['executions.ndjson', 'the journal: one line an event, with the record of each execution'],
  ['histograms.hlog', 'the histograms, as other HDR tools read them'],
  ['summary.md', 'the short form for a pull request'],
  ['junit.xml', 'one test case a gate, for CI servers'],
] as const

/** Only where the target keeps a ledger. */
const OF_LEDGER = [
  ['ledger.ndjson', 'the fake crew’s own account: one line per execution'],
  ['clock.json', 'how the fake crew’s clock maps to this run’s, and how surely'],
] as const

const OF_FAULTS = [
  ['faults.json', 'when each fault of the fake crew was on, and what it touched'],
] as const
