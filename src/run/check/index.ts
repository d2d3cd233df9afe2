/** Probes a target once, with at most one kickoff. */
import type { ResultDocument } from '../../result/document.ts'
import type { Micros } from '../../base/units.ts'
import { DURATION_HELP, durationText, MICROS_PER_SECOND, parseDuration } from '../../base/units.ts'
import { UserError } from '../../base/mistakes.ts'
import type { InputRecord } from '../../scenario/inputs.ts'
import type { Diagnosis } from '../doctor.ts'
import type { RunOptions } from '../options.ts'
import { run } from '../run.ts'
import { InputsRefused, sampledNames, sampleInputs } from '../target/refused-inputs.ts'
import type { Ways, WayOptions } from '../target/ways.ts'
import { waysOf } from '../target/ways.ts'
import type { FreeLimits } from './free.ts'
import { checkFree } from './free.ts'
import { declined, inputsRefused, paidFindings, sentInputs, shapeFinding } from './paid.ts'
import type { ProbeOptions } from './probe.ts'

export interface CheckOptions extends ProbeOptions, WayOptions {
  tokens: readonly string[]
  /** The longest wait for the first answer, which may be a cold start, for example `3m`. */
  firstCall: string
  /** The time for which the one kickoff is followed, for example `5m`. */
  wait: string
  /** Inputs of the one kickoff; null makes sample values for the names that the crew lists. */
  inputs: Readonly<Record<string, unknown>> | null
  /** Called before the one kickoff, after all free checks; false sends none. Null: skip it. */
  confirmKickoff: (() => Promise<boolean>) | null
  /** Receives findings as they are made. */
  onFindings?: (findings: readonly Diagnosis[]) => void
  /** Receives the longest time that the free requests can take, before they go out. */
  onFree?: (limits: FreeLimits) => void
  /** Receives the control that stops following the kickoff. */
  onStart?: RunOptions['onStart']
}

export interface CheckResult {
  findings: readonly Diagnosis[]
  /**
   * What became of the one kickoff. `not-ended`: it was sent, and no end was seen. `declined`:
   * nobody confirmed it. `skipped`: none was wanted, or the target had stopped answering.
   */
  kickoff: 'ended' | 'not-ended' | 'declined' | 'skipped'
}

const ONE_EXECUTION = { name: 'check', arrivals: { clients: 1, iterations: 1 } }

/** All requests without a kickoff, but the first, share this time. */
const REST_MICROS = 30 * MICROS_PER_SECOND

/**
 * Ends within `firstCall` + 30 s + 2 x `wait` and a few seconds of its own, whatever the target
 * does. Throws UserError for wrong
 * options, TargetError when nothing answers or our token is refused.
 */
export async function check(options: CheckOptions): Promise<CheckResult> {
  const waitMicros = durationOf('--wait', options.wait)
  const firstMicros = durationOf('--first-call', options.firstCall)
  const limits = { firstMicros, restMicros: Math.min(REST_MICROS, firstMicros) }
  options.onFree?.(limits)
  const findings: Diagnosis[] = []
  const found = (more: readonly Diagnosis[]): void => {
    findings.push(...more)
    options.onFindings?.(more)
  }
  const ways = waysOf(options)
  const free = await checkFree({ ...options, ...ways }, options.tokens[0] ?? null, limits)
  found(free.findings)
  if (options.confirmKickoff === null || !free.answers) return { findings, kickoff: 'skipped' }
  if (!(await options.confirmKickoff())) {
    found([declined()])
    return { findings, kickoff: 'declined' }
  }
  const inputs = options.inputs ?? sampleInputs(sampledNames(free.inputs ?? []))
  const document = await runOnce(
    options,
    { inputs, ...ways },
    {
      firstCall: durationText(Math.min(waitMicros, firstMicros)),
      request: durationText(Math.min(waitMicros, REST_MICROS)),
    },
  )
  const sent = sentInputs(Object.keys(inputs), free.inputs ?? [])
  if (document === null) {
    found([sent, inputsRefused()])
    return { findings, kickoff: 'not-ended' }
  }
  found([sent, ...paidFindings(document), shapeFinding(document, ways.paths, free.unknownId)])
  const { completed, failed } = document.outcomes
  return { findings, kickoff: completed + failed === 1 ? 'ended' : 'not-ended' }
}

/** Null when the crew refused the inputs, so that nothing started. */
async function runOnce(
  options: CheckOptions,
  { inputs, paths, members }: Ways & { inputs: InputRecord },
  timeouts: { firstCall: string; request: string },
): Promise<ResultDocument | null> {
  const { document } = await run(
    {
      ...ONE_EXECUTION,
      inputs,
      kickoff: members,
      paths,
      deadline: options.wait,
      human: true,
      timeouts,
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
  ).catch((error: unknown) => {
    if (error instanceof InputsRefused) return { document: null }
    throw error
  })
  return document
}

function durationOf(source: string, text: string): Micros {
  const micros = parseDuration(text)
  if (micros !== undefined && micros > 0) return micros
  const problem = `expected ${DURATION_HELP}`
  throw new UserError({ source, path: '', found: JSON.stringify(text), problem })
}
