/**
 * Defines what disturbs the crew in a recovery test: a fault of the fake crew, a spike of arrivals,
 * or a command of the user.
 */
import { parseDocument } from 'yaml'
import { parseFaults } from '../../../../fake-crew/profiles.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError } from '../../../base/mistakes.ts'
import type { Micros } from '../../../base/units.ts'
import type { RecoveryOptions } from '../options.ts'
import { DEFAULT_TRIGGER } from '../options.ts'

export type Trigger =
  | { kind: 'fault'; words: string; written: Readonly<Record<string, unknown>> }
  /** Multiplies the arrivals by `factor`. */
  | { kind: 'spike'; words: string; factor: number }
  | { kind: 'command'; words: string; begin: string; end: string | null }

const MOST_FACTOR = 1_000
/** The test sets these times itself. */
const TIMES = ['window', 'episodes'] as const
/** Times that serve only to validate the text of a fault. */
const ANY_SPAN = { fromMicros: 0, forMicros: 1_000_000, crewSpeed: 1 }

/** Throws UserError with every mistake. */
export function triggerOf(options: RecoveryOptions): Trigger {
  const { trigger, triggerCommand, undoCommand } = options
  const mistakes: Mistake[] = []
  if (trigger !== undefined && triggerCommand !== undefined) {
    mistakes.push(mistake('--trigger', 'cannot be combined with --trigger-command: choose one'))
  }
  if (undoCommand !== undefined && triggerCommand === undefined) {
    mistakes.push(mistake('--undo-command', 'needs --trigger-command'))
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
  if (triggerCommand === undefined) return writtenTrigger(trigger ?? DEFAULT_TRIGGER)
  const words = `the command ${triggerCommand}`
  return { kind: 'command', words, begin: triggerCommand, end: undoCommand ?? null }
}

function writtenTrigger(text: string): Trigger {
  const written: unknown = parseDocument(text).toJS()
  if (typeof written === 'object' && written !== null && 'spike' in written) {
    return spikeOf(written)
  }
  const [fault, ...others] = parseFaults(text, '--trigger')
  if (fault === undefined || others.length > 0) {
    throw new UserError(mistake('--trigger', 'expected one fault, or "spike: 3"', text))
  }
  const given = written as Record<string, unknown>
  const timed = TIMES.filter((name) => name in given)
  if (timed.length > 0) {
    throw new UserError(
      mistake('--trigger', `expected no ${timed.join(' and no ')}: --for sets the duration`),
    )
  }
  const trigger: Trigger = { kind: 'fault', words: faultWords(text), written: given }
  parseFaults(faultYaml(trigger, ANY_SPAN), '--trigger')
  return trigger
}

/** `hang`, of `hang: {}`. */
function faultWords(text: string): string {
  return text.trim().replace(/: ?\{\}$/, '')
}

function spikeOf(written: object): Trigger {
  const { spike: factor, ...others } = written as { spike: unknown }
  const known = typeof factor === 'number' && factor > 1 && factor <= MOST_FACTOR
  if (!known || Object.keys(others).length > 0) {
    const problem = `expected "spike: 3", a factor above 1 and at most ${MOST_FACTOR}`
    throw new UserError(mistake('--trigger', problem, JSON.stringify(written)))
  }
  return { kind: 'spike', words: `${factor} times the arrivals`, factor }
}

function mistake(source: string, problem: string, found?: string): Mistake {
  return { source, problem, ...(found === undefined ? {} : { found }) }
}

/** The fault with its times, which the crew divides by its own speed. */
export function faultYaml(
  { written }: Extract<Trigger, { kind: 'fault' }>,
  {
    fromMicros,
    forMicros,
    crewSpeed,
  }: { fromMicros: Micros; forMicros: Micros; crewSpeed: number },
): string {
  const time = (micros: Micros): string => `${Math.round(micros * crewSpeed)}us`
  const window = { from: time(fromMicros), for: time(forMicros) }
  return JSON.stringify({ name: 'trigger', ...written, window })
}
