/** Combines several journals into one: every line of every file, in the order of the files. */
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { JournalForm } from './reader.ts'
import { bytesOf } from './file/blocks.ts'
import { readLogged } from './reader.ts'

/**
 * Replaces a line that was recognisably ours but unreadable: it is unreadable here too, and is
 * counted again.
 */
const UNREADABLE = '{"type":"unreadable"}'

/**
 * Creates or empties the file at `into`, and writes the lines to it. Rejects with the file system's
 * error.
 */
export async function concatenate(
  paths: readonly string[],
  form: JournalForm,
  into: string,
): Promise<void> {
  await pipeline(form === 'log' ? foundIn(paths) : joined(paths), createWriteStream(into))
}

/** The last line of a journal may lack its line feed. */
async function* joined(paths: readonly string[]): AsyncGenerator<Buffer | string> {
  for (const path of paths) {
    yield* await bytesOf(path)
    yield '\n'
  }
}

async function* foundIn(paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths) {
    for await (const value of readLogged(path)) {
      yield `${value === undefined ? UNREADABLE : JSON.stringify(value)}\n`
    }
  }
}
