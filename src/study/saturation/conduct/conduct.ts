/** One saturation, wired: plan, place, preflight, ladder, document. */
import { performance } from 'node:perf_hooks'
import { env as processEnv } from 'node:process'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { CrewRequest } from '../../../crew/answer.ts'
import { headersByToken } from '../../../host/headers.ts'
import { prepareHdr } from '../../../measure/histograms/hdr.ts'
import { Histogram } from '../../../measure/histograms/histogram.ts'
import type { ProbeOptions } from '../../../run/check/probe.ts'
import { version } from '../../../run/environment/version.ts'
import type { RunControl } from '../../../run/options.ts'
import type { Place } from '../../../run/target/place.ts'
import { openPlace } from '../../../run/target/place.ts'
import type { StudyOutcome } from '../../frame/conduct/conduct.ts'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import type { StudyStart } from '../../frame/envelope.ts'
import { saturationDocument } from '../analyse/saturation.ts'
import type { LadderEnd, SaturationDocument, SaturationPlan } from '../document.ts'
import type { Climb } from './ladder/climb.ts'
import { climbLadder } from './ladder/climb.ts'
import type { SaturatingRequest } from './ladder/rung.ts'
import { saturation } from '../study.ts'
import type { SaturateOptions } from '../plan/options.ts'
import { planSaturation } from '../plan/plan.ts'
import type { Preflight } from './preflight.ts'
import { preflightSaturation } from './preflight.ts'
import { standing } from './standing.ts'

/** Of a fake crew that is started for it: the default of every scenario. */
const SEED = 42

/**
 * Measures the closed-loop ceiling of one endpoint. Throws UserError for the user's mistakes, all
 * at once and before anything is sent, and TargetError when the target cannot be reached or refuses
 * us.
 */
export async function saturate(
  options: SaturateOptions,
): Promise<StudyOutcome<SaturationDocument>> {
  const plan = planSaturation(options)
  const stop = new AbortController()
  options.onStart?.(controlOf(stop))
  const signals = options.signal === undefined ? [stop.signal] : [stop.signal, options.signal]
  const stoppable = { ...options, signal: AbortSignal.any(signals) }
  return conductStudy(saturation, {
    name: `saturate-${options.endpoint}`,
    out: options.out,
    consent: () => options.confirm?.(plan) ?? true,
    measure: async (start) => measured(stoppable, plan, start, stop),
  })
}

/**
 * Either way of stopping ends the ladder at once: nothing is left in flight that could be drained.
 */
function controlOf(stop: AbortController): RunControl {
  return { stop: () => stop.abort(), fail: () => stop.abort() }
}

type Stoppable = SaturateOptions & { signal: AbortSignal }

async function measured(
  options: Stoppable,
  plan: SaturationPlan,
  start: StudyStart,
  stop: AbortController,
): Promise<SaturationDocument> {
  const env = options.env ?? processEnv
  const place = await openPlace(options, { seed: SEED, speed: 1 }, env)
  const { headers = {}, tls = {} } = options
  const probe = { target: place.target, tokens: place.tokens, headers, tls, env }
  const began = performance.now()
  try {
    const preflight = await preflightSaturation(options, probe, start.id)
    const { climb, ended } = await ladderAt(place, options, plan, preflight, probe, stop)
    const after = await standing(options, preflight, probe, climb.sent > 0 && ended !== 'target')
    return saturationDocument({
      ...start,
      plan,
      ended,
      target: place.target.href.replace(/\/$/, ''),
      profile: place.profile,
      durationMs: performance.now() - began,
      command: options.command ?? null,
      rungs: climb.rungs,
      requests: preflight.spent.requests + climb.sent + after.requests,
      kickoffs: preflight.spent.kickoffs + (plan.endpoint === 'kickoff' ? climb.sent : 0),
      reasons: after.reasons,
      findings: after.findings,
    })
  } finally {
    await place.close()
  }
}

async function ladderAt(
  place: Place,
  options: Stoppable,
  plan: SaturationPlan,
  preflight: Preflight,
  probe: ProbeOptions & { tokens: readonly string[] },
  stop: AbortController,
): Promise<{ climb: Climb; ended: LadderEnd }> {
  let died = false
  void place.died?.then(() => {
    died = true
    stop.abort()
  })
  prepareHdr()
  const climb = await climbLadder({
    ladder: plan.ladder,
    request: saturatingRequest(preflight.request, probe),
    budget: budgetOfLadder(plan, preflight),
    warmUpMicros: plan.warmUpMs * MICROS_PER_MS,
    durationMicros: plan.rungMs * MICROS_PER_MS,
    timeoutMicros: plan.timeoutMs * MICROS_PER_MS,
    signal: options.signal,
    createLatency: () => new Histogram(),
    onRung: (rung) => options.onRung?.(rung),
  })
  return { climb, ended: climb.ended === 'interrupted' && died ? 'target' : climb.ended }
}

function saturatingRequest(
  request: CrewRequest,
  { target, tokens, headers, tls }: ProbeOptions & { tokens: readonly string[] },
): SaturatingRequest {
  const { method, path, body, correlation } = request
  const userAgent = `crewload/${version()}`
  return {
    url: new URL(`${target.href.replace(/\/$/, '')}${path}`),
    method,
    body,
    headers: headersByToken({ tokens, headers, userAgent }, method).map((each) =>
      Object.assign(each, { 'x-correlation-id': correlation }),
    ),
    tls,
  }
}

/**
 * What the two budgets leave for the rungs; asking how the execution stands at the end takes one.
 */
function budgetOfLadder(plan: SaturationPlan, { spent, execution }: Preflight): number | null {
  const { requests, kickoffs } = plan.budget
  const limits = [
    ...(requests === null ? [] : [requests - spent.requests - (execution === null ? 0 : 1)]),
    ...(kickoffs === null || plan.endpoint !== 'kickoff' ? [] : [kickoffs]),
  ]
  return limits.length === 0 ? null : Math.max(0, Math.min(...limits))
}
