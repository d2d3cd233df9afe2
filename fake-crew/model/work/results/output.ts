/**
 * Task outputs: generated on demand, identical each time, of the drawn size, and naming their
 * execution.
 */
import { utf8Length } from '../../../../src/base/utf8.ts'

export interface OutputSubject {
  ordinal: number
  taskId: string
  inputs: Readonly<Record<string, unknown>>
  /** Desired size in UTF-8 bytes; the echo of ordinal and inputs is never cut to fit it. */
  bytes: number
}

/** Longest echo of one input, in UTF-16 units. */
const MAX_ECHO_UNITS = 1_000

const SENTENCE =
  'The findings below were gathered, weighed against each other and put in order of use. ' +
  'If two sources disagree, both are named and the more recent one is followed. ' +
  'What could not be confirmed is left out rather than guessed. '

/**
 * `Execution 17, research_task. topic: AI; audience: experts.` followed by prose up to the size.
 * The prose starts at a different place for each ordinal.
 */
export function outputText({ ordinal, taskId, inputs, bytes }: OutputSubject): string {
  const echo = `Execution ${ordinal}, ${taskId}. ${describeInputs(inputs)}\n\n`
  const missing = bytes - utf8Length(echo)
  if (missing <= 0) return echo
  const start = (ordinal * 7) % SENTENCE.length
  return echo + prose(start + missing).slice(start, start + missing)
}

let longestProse = SENTENCE

/** At least `units` of prose; cached, because outputs are requested repeatedly. */
function prose(units: number): string {
  if (longestProse.length < units) {
    longestProse = SENTENCE.repeat(Math.ceil((2 * units) / SENTENCE.length))
  }
  return longestProse
}

function describeInputs(inputs: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(inputs).map(([name, value]) => `${name}: ${echoed(value)}`)
  return `${parts.join('; ')}.`
}

function echoed(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= MAX_ECHO_UNITS ? text : `${text.slice(0, MAX_ECHO_UNITS)}...`
}
