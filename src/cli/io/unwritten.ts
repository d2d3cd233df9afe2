/** The message about reports that could not be written. */
import { visibleLine } from '../../base/visible.ts'
import type { Io } from './io.ts'

/** `unwritten`: the message of the failure; null prints nothing. */
export function tellUnwritten(folder: string | null, unwritten: string | null, io: Io): void {
  if (unwritten === null) return
  io.stderr.write(
    `crewload: the reports could not be written to ${folder}: ${visibleLine(unwritten)}\n`,
  )
}
