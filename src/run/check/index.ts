/** Probes a target once, with at most one kickoff. */
import { parseDuration, DURATION_HELP } from '../../base/units.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Diagnosis } from '../doctor/index.ts'
import type { RunOptions } from '../options.ts'
import { run } from '../run.ts'
import { sampleInputs } from '../target/sample-inputs.ts'
import { checkFree } from './free.ts'
import { paidFindings } from './paid.ts'
import type { ProbeOptions } from './probe.ts'

export interface CheckOptions extends ProbeOptions {
  tokens: readonly string[]
  /** The time for which the one kickoff is followed, for example `5m`. */
  wait: string
  /** Inputs of the one kickoff; null makes sample values for the names that the crew lists. */
  inputs: Readonly<Record<string, unknown>> | null
  /** Called before the one kickoff, after all free checks; false sends no kickoff. */
  confirmKickoff: (findings: readonly Diagnosis[]) => Promise<boolean>
  /** Receives the control that stops following the kickoff. */
  onStart?: RunOptions['onStart']
}

export interface CheckResult {
  /** Findings of the checks that need no kickoff. */
  free: readonly Diagnosis[]
  /** Findings of the one kickoff; empty when it was not sent. */
  paid: readonly Diagnosis[]
}

/** Throws UserError for wrong options, TargetError when nothing answers or our token is refused. */
export async function check(options: CheckOptions): Promise<CheckResult> {
  const wait = parseDuration(options.wait)
  if (wait === undefined || wait === 0) {
    throw new UserError({
      source: '--wait',
      path: '',
      found: JSON.stringify(options.wait),
      problem: `expected ${DURATION_HELP}`,
    })
  }
  const free = await checkFree(options, options.tokens[0] ?? null)
  if (!(await options.confirmKickoff(free.findings))) return { free: free.findings, paid: [] }
  const { document } = await run(
    {
      name: 'check',
      arrivals: { clients: 1, iterations: 1 },
      inputs: options.inputs ?? sampleInputs(free.inputs ?? []),
      deadline: options.wait,
      confirm: 1,
    },
    {
      target: options.target.href,
      tokens: options.tokens,
      headers: options.headers,
      tls: options.tls,
      env: options.env,
      budget: { kickoffs: 1 },
      out: false,
      ...(options.onStart === undefined ? {} : { onStart: options.onStart }),
    },
  )
  return { free: free.findings, paid: paidFindings(document) }
}
