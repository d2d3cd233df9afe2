/** What is a line of a journal: whatever reads one reads it by `JSON.parse`, and checks it here. */
import type { JournalLine } from '../execution/record/journal-lines.ts'
import { journalLine } from '../execution/record/journal-lines.ts'
import { parsedJson } from '../base/text.ts'

/** Undefined for a text that is no line of ours. */
export function lineFrom(text: string): JournalLine | undefined {
  return checkedLine(parsedJson(text))
}

/**
 * The value itself, which may hold more than the schema knows; undefined for one that is no line of
 * ours. What the schema would return is a copy, and to make it takes a fifth of a merge.
 */
export function checkedLine(value: unknown): JournalLine | undefined {
  return journalLine.safeParse(value).success ? (value as JournalLine) : undefined
}
