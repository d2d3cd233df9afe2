/** A section of a run's report: one subject, and how each medium shows it. */
import type { ResultDocument } from '../../../result/document.ts'
import type { Block, Fact } from '../../frame/report.ts'

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
  blocks: (document: ResultDocument) => readonly Block[]
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
