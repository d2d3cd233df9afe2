/** A section of a run's report: one subject, and how each medium shows it. */
import type { ResultDocument } from '../../../result/document.ts'
import type { SampledExecutions } from '../../../result/execution-row.ts'
import type { Block, Fact } from '../../frame/report.ts'

/** The executions that a page lists, and the script that shows them. */
export interface ListedExecutions extends SampledExecutions {
  script: string
  /** Zlib's format, in base64: a page of thousands of executions is sent to people. */
  deflated: (text: string) => string
}

/**
 * Text from a target or a scenario goes through `plainText`, which shortens it; each medium
 * escapes it.
 */
export interface RunSection {
  /** The heading of its chapter on the page, shared with the other sections of that chapter. */
  chapter: string
  /** Its own heading; null when its blocks begin with one, or need none. */
  title: string | null
  /**
   * The content as data, in order. Each block appears on the page, on the terminal and in Markdown,
   * unless its `on` names fewer media. A section without blocks is not shown, nor is its title.
   */
  blocks: (document: ResultDocument, listed?: ListedExecutions | null) => readonly Block[]
  /** Facts that every run has, one line each; by default on a terminal and in Markdown. */
  facts?: (document: ResultDocument) => readonly Fact[]
  /** Facts that only some runs have, below the facts of all sections. */
  furtherFacts?: (document: ResultDocument) => readonly Fact[]
}

/** The page shows facts as sentences, in their section. */
export function sentencesOf(facts: readonly Fact[]): Block[] {
  return facts.map(({ name, text }) => ({
    kind: 'prose',
    text: `${name}: ${text}.`,
    on: ['page'],
  }))
}
