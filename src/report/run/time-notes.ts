/** What the times of a run mean, when they are not wall times. */
import type { ResultDocument } from '../../analysis/document.ts'
import { plainText } from '../frame/format.ts'
import { lapseWords } from './summary.ts'

/** Says once that a second represents a longer time; null at real speed. */
function speedNote(document: { run: { speed: number } }): string | null {
  const { speed } = document.run
  if (speed === 1) return null
  return (
    `Time-lapse: one second of this run stands for ${lapseWords(speed)}. Times of ` +
    'executions are on the clock of the crew, with the wall time of this run beside them; HTTP ' +
    'times (kickoff, status, lateness) are wall times.'
  )
}

/** In a merged result the text is foreign; our own words are about 200 characters long. */
const NETWORK_LIMIT = 400

/**
 * For virtual time: says that nobody waited for the hours reported, and which network lay between
 * client and crew; null when the network was real.
 */
function simulationNote({ run }: ResultDocument): string | null {
  if (run.network === null) return null
  return `Simulated in virtual time, over the network ${plainText(run.network, NETWORK_LIMIT)}.`
}

/** Which clock the axes of a figure show; empty at real speed. */
export function clockCaption({ run }: Pick<ResultDocument, 'run'>, what = 'Times are'): string {
  return run.speed === 1 ? '' : ` ${what} on the clock of the crew.`
}

/** What times mean in this run when they are not wall times, one or two sentences each. */
export function timeNotes(document: ResultDocument): string[] {
  return [simulationNote(document), speedNote(document)].filter((note) => note !== null)
}
