/** What a section of a run's report is: one matter, and how each medium shows it. */
import type { ResultDocument } from '../../../analysis/document.ts'
import type { Block, Fact } from '../../frame/report.ts'

/**
 * Everything takes the document on the clock of the crew. What a target or a scenario said goes
 * through `plainText`, which shortens it; each medium escapes it.
 */
export interface RunSection {
  /** The heading on the page under which it stands, with the sections of the same chapter. */
  chapter: string
  /** Its own heading; null where its blocks begin with one, or need none. */
  title: string | null
  /**
   * As data, in order. Each block stands on the page, the terminal and in Markdown, unless its `on`
   * names fewer; none are shown where there are none, nor is the title.
   */
  blocks: (document: ResultDocument) => readonly Block[]
  /** What every run has to tell of it, in a line of the end print and of Markdown each. */
  facts?: (document: ResultDocument) => readonly Fact[]
  /** What only some runs have to tell, below the facts of all sections. */
  furtherFacts?: (document: ResultDocument) => readonly Fact[]
  /** Under `What went wrong` in Markdown, a line each; escaped or in code spans already. */
  troubles?: (document: ResultDocument) => readonly string[]
}
