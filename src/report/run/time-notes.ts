/** What the times of a run mean, where they are not what a clock on the wall would say. */
import type { ResultDocument } from '../../analysis/document.ts'
import { plainText } from '../frame/format.ts'
import { lapseWords } from './summary.ts'

/** Says once that a second stands for more; null at real speed. */
function speedNote(document: { run: { speed: number } }): string | null {
  const { speed } = document.run
  if (speed === 1) return null
  return `Time-lapse: one second of this run stands for ${lapseWords(speed)}. Times of executions are on the clock of the crew, with the wall time of this run beside them; HTTP times (kickoff, status, lateness) are wall times.`
}

/** Foreign in a merged result; our own words are about 200 characters long. */
const NETWORK_LIMIT = 400

/**
 * Of virtual time: that nobody waited for the hours told, and what lay between client and crew;
 * null where the network was a real one.
 */
function simulationNote({ run }: ResultDocument): string | null {
  if (run.network === null) return null
  return `Simulated in virtual time, over the network ${plainText(run.network, NETWORK_LIMIT)}.`
}

/** Which clock the axes of a figure show; empty at real speed. */
export function clockCaption({ run }: Pick<ResultDocument, 'run'>, what = 'Times are'): string {
  return run.speed === 1 ? '' : ` ${what} on the clock of the crew.`
}

/** What times mean in this run, where it is not what they say; a sentence or two each. */
export function timeNotes(document: ResultDocument): string[] {
  return [simulationNote(document), speedNote(document)].filter((note) => note !== null)
}
