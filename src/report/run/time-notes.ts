/** What the times of a run mean, when they are not those that its scenario says. */
import type { ResultDocument } from '../../result/document.ts'
import { plainText } from '../frame/format.ts'
import { lapseWords } from './summary.ts'

/** Says once that a second represents a longer time; null at real speed. */
function speedNote({ run: { speed } }: ResultDocument): string | null {
  const words = lapseWords(speed)
  if (words === null) return null
  return `Time-lapse: ${words}. All times and rates are wall times, as measured.`
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

/** One or two sentences each. */
export function timeNotes(document: ResultDocument): string[] {
  return [simulationNote(document), speedNote(document)].filter((note) => note !== null)
}
