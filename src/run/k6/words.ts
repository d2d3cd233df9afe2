/** What k6 says beside its console: kept short, without tokens, and with places in the author's own files. */
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { blank } from '../../host/secrets.ts'

const LINES_KEPT = 12
const LINE_LENGTH = 300

export interface Translation {
  tokens: readonly string[]
  /** Of the script, by its own source map. */
  map: string
  /** Of the script file: its places are told as those of the sources. */
  script: string
}

export class K6Words {
  readonly #translation: Translation
  readonly #origins: SourceMap
  readonly #lines: string[] = []
  #more = 0

  constructor(translation: Translation) {
    this.#translation = translation
    this.#origins = new SourceMap(JSON.parse(translation.map))
  }

  /** The line as it can be shown; null from the thirteenth on. */
  heard(line: string): string | null {
    if (this.#lines.length >= LINES_KEPT) {
      this.#more++
      return null
    }
    const told = this.#translated(blank(line, this.#translation.tokens)).slice(0, LINE_LENGTH)
    this.#lines.push(told)
    return told
  }

  /** All of it in one line; empty when it said nothing. */
  toString(): string {
    const rest = this.#more === 0 ? [] : [`and ${this.#more} more lines`]
    return [...this.#lines, ...rest].join(' | ')
  }

  /** `file:///tmp/x/crewload.js:12:3(45)` as `scenarios/mine.ts:4:3`. */
  #translated(line: string): string {
    return line.replaceAll(
      /(?:file:\/\/)?[^\s()|"]*crewload\.js:(\d+):(\d+)(?:\(\d+\))?/g,
      (place, row: string, column: string) => this.#origin(Number(row), Number(column)) ?? place,
    )
  }

  #origin(row: number, column: number): string | null {
    const found = this.#origins.findEntry(row - 1, column - 1)
    if (!('originalSource' in found)) return null
    const source = resolve(dirname(this.#translation.script), found.originalSource)
    const short = relative('.', source)
    return `${short.startsWith('..') ? source : short}:${found.originalLine + 1}:${found.originalColumn + 1}`
  }
}
