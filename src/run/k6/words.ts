/**
 * What k6 says beside its console: kept short, without tokens, and with places in the author's own
 * files.
 */
import { SourceMap } from 'node:module'
import { relative, resolve } from 'node:path'
import { blank } from '../../host/secrets.ts'

/** The first ones tell what was wrong at the start, the last ones why it ended. */
const FIRST_KEPT = 6
const LAST_KEPT = 6
const LINE_LENGTH = 300

/** Of a script named by its file or by its URL: `file:///tmp/x/crewload.js:12:3(45)`. */
const PLACE = /(?:file:\/\/)?[^\s()|"]*crewload\.js:(\d+):(\d+)(?:\(\d+\))?/g
/**
 * A frame of a stack trace, which k6 prints of an exception that nobody caught, and of nothing
 * else.
 */
const FRAME = /^at .*crewload\.js:\d+:\d+/

export interface Translation {
  tokens: readonly string[]
  /** Of the script, by its own source map: sources are paths from the working directory. */
  map: string
}

export class K6Words {
  readonly #translation: Translation
  readonly #origins: SourceMap
  readonly #first: string[] = []
  readonly #last: string[] = []
  #heard = 0
  #threw = false

  constructor(translation: Translation) {
    this.#translation = translation
    this.#origins = new SourceMap(JSON.parse(translation.map))
  }

  /** The script threw where nobody caught it: its VU, or its iteration, is over. */
  get threw(): boolean {
    return this.#threw
  }

  /** The line as it can be shown; null from the thirteenth on. */
  heard(line: string): string | null {
    this.#heard++
    this.#threw ||= FRAME.test(line)
    const told = this.placed(blank(line, this.#translation.tokens)).slice(0, LINE_LENGTH)
    if (this.#first.length < FIRST_KEPT) this.#first.push(told)
    else if (this.#last.push(told) > LAST_KEPT) this.#last.shift()
    return this.#heard > FIRST_KEPT + LAST_KEPT ? null : told
  }

  /** The first ones and the last ones in one line; empty when it said nothing. */
  toString(): string {
    const more = this.#heard - this.#first.length - this.#last.length
    const between = more === 0 ? [] : [`(${more} more ${more === 1 ? 'line' : 'lines'})`]
    return [...this.#first, ...between, ...this.#last].join(' | ')
  }

  /** `file:///tmp/x/crewload.js:12:3(45)` as `scenarios/mine.ts:4:3`. */
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
    return `${short.startsWith('..') ? source : short}:${found.originalLine + 1}:${found.originalColumn + 1}`
  }
}
