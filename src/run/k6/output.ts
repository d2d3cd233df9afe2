/**
 * What k6 prints besides its console lines: shortened, without secrets, and with places in the
 * author's own files.
 */
import { SourceMap } from 'node:module'
import { relative, resolve } from 'node:path'
import { plural } from '../../base/numbers.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { blank, checksWith } from '../../host/secrets.ts'

/** The first lines show what was wrong at the start, the last ones why it ended. */
const FIRST_KEPT = 6
const LAST_KEPT = 6
const LINE_LENGTH = 300

/** Matches a script named by its file or by its URL: `file:///tmp/x/crewload.js:12:3(45)`. */
const PLACE = /(?<![^\s()|"])(?:file:\/\/)?[^\s()|"]*crewload\.js:(\d+):(\d+)(?:\(\d+\))?/g
/** A frame of a stack trace, which k6 prints only for an uncaught exception. */
const FRAME = /^at .*crewload\.js:\d+:\d+/

export class K6Output {
  /** Whether the script threw an uncaught exception, which ends its VU or its iteration. */
  threw = false
  readonly #secrets: readonly string[]
  readonly #origins: SourceMap
  readonly #first: string[] = []
  readonly #last: string[] = []
  #heard = 0

  /** `map`: the script's own source map; its sources are relative to the working directory. */
  constructor({ secrets, map }: { secrets: readonly string[]; map: string }) {
    this.#secrets = secrets
    this.#origins = new SourceMap(JSON.parse(map))
  }

  /** The line as it can be shown; null from the thirteenth line on. */
  heard(line: string): string | null {
    this.#heard++
    this.threw ||= FRAME.test(line)
    const shown = this.placed(blank(line, this.#secrets)).slice(0, LINE_LENGTH)
    if (this.#first.length < FIRST_KEPT) this.#first.push(shown)
    else if (this.#last.push(shown) > LAST_KEPT) this.#last.shift()
    return this.#heard > FIRST_KEPT + LAST_KEPT ? null : shown
  }

  /** The first and the last lines in one line; empty when there are none. */
  toString(): string {
    const more = this.#heard - this.#first.length - this.#last.length
    const between = more === 0 ? [] : [`(${plural(more, 'more line')})`]
    return [...this.#first, ...between, ...this.#last].join(' | ')
  }

  /** For example `file:///tmp/x/crewload.js:12:3(45)` becomes `scenarios/mine.ts:4:3`. */
  placed(line: string): string {
    return line.replaceAll(
      PLACE,
      (place, row: string, column: string) => this.#origin(Number(row), Number(column)) ?? place,
    )
  }

  #origin(row: number, column: number): string | null {
    const found = this.#origins.findEntry(row - 1, column - 1)
    if (!('originalSource' in found)) return null
    const source = resolve(found.originalSource)
    const short = relative('.', source)
    const path = short.startsWith('..') ? source : short
    return `${path}:${found.originalLine + 1}:${found.originalColumn + 1}`
  }
}

/**
 * Translates the places that a record names to the author's own files. Only exceptions of the
 * author's functions have one: in the reason of an arrival without inputs, and in the results of
 * checks.
 */
export function withPlaces(line: JournalLine, words: Pick<K6Output, 'placed'>): JournalLine {
  if (line.type !== 'ended') return line
  const { record } = line
  const placed = (text: string): string => words.placed(text)
  const reason =
    record.reason?.code === 'author-error'
      ? { ...record.reason, text: placed(record.reason.text) }
      : record.reason
  return { ...line, record: { ...record, reason, checks: checksWith(record.checks, placed) } }
}
