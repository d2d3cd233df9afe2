/** One saturation, wired: plan, place, preflight, ladder, document, reports. */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { env as processEnv, versions } from 'node:process'
import { saturationDocument } from '../analyse/saturation.ts'
import type { LadderEnd, SaturationDocument, SaturationPlan } from '../document.ts'
import type { CrewRequest } from '../../../crew/answer.ts'
import { headersByToken } from '../../../host/headers.ts'
import { UserError } from '../../../base/mistakes.ts'
import { prepareHdr } from '../../../measure/histograms/hdr.ts'
import { Histogram } from '../../../measure/histograms/histogram.ts'
import { createRunFolder } from '../../../run/folder/folder.ts'
import type { Climb } from '../ladder/climb.ts'
import type { SaturatingRequest } from '../ladder/rung.ts'
import { climbLadder } from '../ladder/climb.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { ProbeOptions } from '../../../run/check/probe.ts'
import { Declined } from '../../../run/errors.ts'
import type { Place } from '../../../run/target/place.ts'
import { openPlace } from '../../../run/target/place.ts'
import { version } from '../../../run/environment/version.ts'
import type { SaturateOptions } from './options.ts'
import { planSaturation } from './plan.ts'
import type { Preflight } from './preflight.ts'
import { preflightSaturation } from './preflight.ts'
import { writeSaturation } from './reports.ts'
import { standing } from './standing.ts'

export type { SaturateOptions } from './options.ts'
export { planSaturation } from './plan.ts'

export interface SaturateOutcome {
  document: SaturationDocument
  /** Where everything was written; null when nothing was. */
  folder: string | null
  /** Why the reports could not be written whole; null when they were. */
  unwritten: string | null
}

/** Of a fake crew that is started for it: the default of every scenario. */
const SEED = 42

/**
 * Measures the closed-loop ceiling of one endpoint. Throws UserError for the user's mistakes, all at once and before anything is sent, and
 * TargetError when the target cannot be reached or refuses us.
 */
export async function saturate(options: SaturateOptions): Promise<SaturateOutcome> {
  const plan = planSaturation(options)
  if (options.confirm !== undefined && !(await options.confirm(plan))) {
    throw new Declined('was not confirmed; nothing was sent')
  }
  const startedAt = new Date()
  const { out = 'reports' } = options
  const name = `saturate-${options.endpoint}`
  const folder = out === false ? null : await createRunFolder(out, name, startedAt)
  try {
    const document = await climbed(options, plan, startedAt)
    const unwritten = folder === null ? null : await writeSaturation(folder.path, document)
    return { document, folder: folder?.path ?? null, unwritten }
  } catch (error) {
    // Nothing was measured: an empty folder would only be taken for a run.
    if (folder !== null && error instanceof UserError) await rm(folder.path, { recursive: true })
    throw error
  }
}

async function climbed(
  options: SaturateOptions,
  plan: SaturationPlan,
  startedAt: Date,
): Promise<SaturationDocument> {
  const env = options.env ?? processEnv
  const place = await openPlace(options, { seed: SEED, speed: 1 }, env)
  const { headers = {}, tls = {} } = options
  const probe = { target: place.target, tokens: place.tokens, headers, tls, env }
  const began = performance.now()
  try {
    const id = randomBytes(4).toString('hex')
    const preflight = await preflightSaturation(options, probe, id)
    const { climb, ended } = await ladderAt(place, options, plan, preflight, probe)
    const after = await standing(options, preflight, probe, climb.sent > 0 && ended !== 'target')
    return saturationDocument({
      crewload: version(),
      run: {
        ...plan,
        id,
        target: place.target.href.replace(/\/$/, ''),
        profile: place.profile,
        ended,
        startedAt: startedAt.toISOString(),
        durationMs: performance.now() - began,
        command: options.command ?? null,
        node: versions.node,
      },
      rungs: climb.rungs,
      spent: {
        requests: preflight.spent.requests + climb.sent + after.requests,
        kickoffs: preflight.spent.kickoffs + (plan.endpoint === 'kickoff' ? climb.sent : 0),
      },
      reasons: after.reasons,
      findings: after.findings,
    })
  } finally {
    await place.close()
  }
}

async function ladderAt(
  place: Place,
  options: SaturateOptions,
  plan: SaturationPlan,
  preflight: Preflight,
  probe: ProbeOptions & { tokens: readonly string[] },
): Promise<{ climb: Climb; ended: LadderEnd }> {
  const stop = new AbortController()
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
    signal: AbortSignal.any([
      stop.signal,
      ...(options.signal === undefined ? [] : [options.signal]),
    ]),
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

/** What the two budgets leave for the rungs; asking how the execution stands at the end takes one. */
function budgetOfLadder(plan: SaturationPlan, { spent, execution }: Preflight): number | null {
  const { requests, kickoffs } = plan.budget
  const limits = [
    ...(requests === null ? [] : [requests - spent.requests - (execution === null ? 0 : 1)]),
    ...(kickoffs === null || plan.endpoint !== 'kickoff' ? [] : [kickoffs]),
  ]
  return limits.length === 0 ? null : Math.max(0, Math.min(...limits))
}
