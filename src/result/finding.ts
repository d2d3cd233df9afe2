/** A finding: what is said of a run by a code, from which its severity follows. */
import { z } from 'zod'

export type Severity = 'info' | 'warning' | 'problem'

const FINDINGS = {
  /** The client's account and the ledger differ; `ledger.disagreements` has the kinds. */
  'ledger-differs': 'problem',
  'ledger-missing': 'warning',
  'marks-missing': 'warning',
  stall: 'problem',
  'started-after-given-up': 'warning',
  'shared-waits': 'warning',
  /** The target stopped finding executions that it had reported. */
  forgotten: 'problem',
  /** Only errors from some time on. */
  'no-use-at-end': 'problem',
  'not-recovered': 'problem',
  paused: 'problem',
  /** A threshold of the scenario judges those that were paused. */
  'paused-judged': 'warning',
  'left-in-flight': 'problem',
  'left-unanswered': 'problem',
  'left-with-crew': 'info',
  /** They were given up, but the target may still work on them. */
  'aborted-left': 'warning',
  resumed: 'info',
  'warm-up-left': 'problem',
  'warm-up-cut': 'info',
  'late-for-requests': 'info',
  /** A large share of executions broke a rule of the contract. */
  'contract-habit': 'problem',
  'contract-documented': 'warning',
  'contract-assumed': 'info',
  'no-output-habit': 'problem',
  'no-output': 'warning',
  'kickoffs-unknown': 'warning',
  'kickoffs-refused': 'warning',
  'polls-refused': 'warning',
  'waits-not-honoured': 'problem',
  /** The scenario says not to honour them. */
  'waits-ignored': 'warning',
  'waits-hinted': 'warning',
  'retry-budget': 'warning',
  'connections-reopened': 'warning',
  'samples-clamped': 'warning',
  /** The scenario has prices, and none for these. */
  unpriced: 'warning',
  'pushes-missing': 'problem',
  /** A threshold judges it. */
  'pushes-missing-judged': 'warning',
  'inputs-missing': 'info',
  'telemetry-lost': 'info',
  'k6-ended': 'info',
} as const satisfies Record<string, Severity>
type FindingCode = keyof typeof FINDINGS

export const runFinding = z.object({
  code: z.enum(Object.keys(FINDINGS) as FindingCode[]),
  severity: z.enum(['info', 'warning', 'problem']).describe('It follows from the code'),
  /** Names its remedy. */
  message: z.string(),
})
export type RunFinding = z.infer<typeof runFinding>

export function findingOf(code: FindingCode, message: string): RunFinding {
  return { code, severity: FINDINGS[code], message }
}
