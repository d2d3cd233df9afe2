/** Exit codes: a public contract for CI. */
import type { Verdict } from '../analysis/document.ts'

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

/** The text that `--help` prints below the options. */
export const EXIT_HELP = `Exit codes:
  0    passed
  1    a threshold or promise was missed, the target died, or engines disagree
  2    usage or configuration
  3    INVALID: the measurement cannot be trusted
  4    inconclusive: undecided, or cut short; says how much more is needed
  5    target never reached, or access lost in mid-run: token, name, certificate
  70   crewload itself failed; what was measured is reported, and INVALID
  130  interrupted: drained, report written
`

export function exitCodeOf(outcome: Verdict['outcome'], interrupted: boolean): ExitCode {
  return interrupted ? EXIT.interrupted : EXIT[outcome]
}
