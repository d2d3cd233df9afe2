/** What is said of reports that could not be written. */
import { visibleLine } from '../../base/visible.ts'
import type { Io } from './io.ts'

/** `unwritten`: what was said of the failure; nothing is told for null. */
export function tellUnwritten(folder: string | null, unwritten: string | null, io: Io): void {
  if (unwritten === null) return
  io.stderr.write(
    `crewload: the reports could not be written to ${folder}: ${visibleLine(unwritten)}\n`,
  )
}
