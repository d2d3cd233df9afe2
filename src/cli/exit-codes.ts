/** Exit codes: a public contract for CI. */
import { wrap } from '../base/text.ts'
import type { Verdict } from '../result/document.ts'

export const EXIT = {
  passed: 0,
  failed: 1,
  usage: 2,
  invalid: 3,
  inconclusive: 4,
  unreachable: 5,
  bug: 70,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The meaning of each code, for `crewload run`. */
const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  passed: 'passed',
  failed: 'a threshold or promise was missed, or the target died',
  usage: 'usage or configuration',
  invalid: 'INVALID: the measurement cannot be trusted',
  inconclusive: 'inconclusive: undecided, or cut short; says how much more is needed',
  unreachable: 'target never reached, or access lost in mid-run: token, name, certificate',
  bug: 'crewload itself failed; what was measured is reported, and INVALID',
  interrupted: 'interrupted: drained, report written',
}

const WIDTH = 80
const INDENT = 2
const GAP = 2

/**
 * The table of exit codes that `--help` prints below the options. `own`: the meanings of a command
 * in place of those of `run`; null for a code with which it never ends.
 */
export function exitHelp(own: Partial<Record<keyof typeof EXIT, string | null>> = {}): string {
  const meanings: Record<string, string | null> = { ...MEANINGS, ...own }
  const column = INDENT + String(EXIT.interrupted).length + GAP
  const lines = Object.entries(EXIT).flatMap(([name, code]) => {
    const meaning = meanings[name]
    if (meaning == null) return []
    const first = `${' '.repeat(INDENT)}${code}`.padEnd(column)
    return wrap(meaning, WIDTH, first, ' '.repeat(column))
  })
  return `Exit codes:\n${lines.join('\n')}\n`
}

export function exitCodeOf(outcome: Verdict['outcome'], interrupted: boolean): ExitCode {
  return interrupted ? EXIT.interrupted : EXIT[outcome]
}
