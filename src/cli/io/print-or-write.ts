/** The output of a command that is one text: on stdout, or in the file of `--out`. */
import { writeFile } from 'node:fs/promises'
import { UserError } from '../../base/mistakes.ts'
import type { Io } from './io.ts'

/** Throws UserError when the file cannot be written. */
export async function printOrWrite(text: string, file: string | undefined, io: Io): Promise<void> {
  if (file === undefined) {
    io.stdout.write(text)
    return
  }
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    const problem = `cannot be written (${error.code})`
    throw new UserError({ source: '--out', found: file, problem }, { cause: error })
  })
  io.stderr.write(`wrote ${file}\n`)
}
