/** Conducts a saturation: its place, the request, the ladder, the document. */
import { env as processEnv } from 'node:process'
import { UserError } from '../../../base/mistakes.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { CrewRequest } from '../../../crew/crew-request.ts'
import { headersByToken } from '../../../host/headers.ts'
import { Histogram } from '../../../result/counting/histogram.ts'
import { version } from '../../../run/environment/package.ts'
import { openPlace } from '../../../run/target/open-place.ts'
import type { Conducting } from '../../frame/conduct/conducting.ts'
import { fingerprintOf, trialOptions } from '../../frame/conduct/conducting.ts'
import type { TrialTerms } from '../../frame/trial/trials.ts'
import { saturationDocument } from '../analyse/analyse.ts'
import { findingOf, reasonOf } from '../../../result/sentence-tables.ts'
import type { SaturationDocument, SaturationPlan, SaturationReason } from '../document.ts'
import { FINDINGS, REASONS } from '../sentences.ts'
import { visitOrder, designSaturation } from '../plan/plan.ts'
import type { SaturateOptions } from '../options.ts'
import { SATURATION } from '../options.ts'
import { SEED } from '../../frame/options.ts'
import type { SaturationDesign } from '../plan/plan.ts'
import { visitLine } from '../report/report.ts'
import { saturation } from '../study.ts'
import type { Climb } from './ladder/climb.ts'
import { climbLadder } from './ladder/climb.ts'
import type { SaturatingRequest } from './ladder/visit.ts'
import type { Preflight, ProbedPlace, SaturationSession } from './preflight.ts'
import { REQUEST, preflightSaturation, startsOne } from './preflight.ts'
import type { Phase } from '../../../crew/observation.ts'
import { readStatus } from '../../../crew/read.ts'
import { openProbe } from '../../../run/target/probe.ts'

export const conducting: Conducting<
  SaturateOptions,
  SaturationDesign,
  SaturationPlan,
  SaturationDocument
> = {
  study: saturation,
  table: SATURATION,
  design: async (options) => designSaturation(options),
  plan: ({ plan }) => plan,
  name: ({ plan }) => `saturate-${plan.endpoint}`,
  fingerprint: ({ options }) => fingerprintOf(null, options.run.profile),
  terms: termsOf,
  measure: saturationDocumentOf,
}

function termsOf({ plan, options }: SaturationDesign): TrialTerms {
  const first = startsOne(options) && options.run.profile === undefined ? 1 : 0
  return {
    simulated: false,
    budget: plan.budget,
    planned: plan.ladder.length * plan.repeats + first,
    whenLost: REASONS.target.remedy({}),
  }
}

async function saturationDocumentOf(session: SaturationSession): Promise<SaturationDocument> {
  const { options, design, trials } = session
  const { env = processEnv, headers = {}, tls = {} } = options.run
  const place = await openPlace(trialOptions(options, 'node'), { seed: SEED, speed: 1 }, env)
  const { target, tokens, isPaid } = place
  const probe = { target, tokens, isPaid, headers, tls, env }
  trials.loseWith(place.died)
  try {
    const preflight = await preflightSaturation(session, probe)
    const { requests } = trials.spent
    const climb = await ladderOf(session, preflight, probe)
    if (preflight === null && climb.visits.length === 0) demandFirstRung(session)
    const hasClimbed = trials.spent.requests > requests
    const after = await checkPolledExecution(session, preflight, probe, hasClimbed)
    return saturationDocument({
      ...session.facts(),
      plan: design.plan,
      ended: climb.ended,
      place: place.crew,
      seed: SEED,
      visits: climb.visits,
      reasons: after.reasons,
      findings: after.findings,
    })
  } finally {
    await place.close()
  }
}

/** Throws UserError when the budget does not even suffice for what precedes the ladder. */
function demandFirstRung({
  trials,
  options: { maxRequests, maxKickoffs },
}: SaturationSession): void {
  if (trials.ended !== 'budget') return
  const isOfRequests = maxRequests !== undefined && trials.spent.requests >= maxRequests
  const [source, found] = isOfRequests
    ? ['--max-requests', maxRequests]
    : ['--max-kickoffs', maxKickoffs]
  const problem = 'is spent before the first rung'
  throw new UserError({ source, found: String(found), problem })
}

async function ladderOf(
  { trials, options, design: { plan } }: SaturationSession,
  preflight: Preflight | null,
  probe: ProbedPlace,
): Promise<Climb> {
  const order = visitOrder(plan.ladder, plan.repeats, SEED)
  if (preflight === null) return climbLadder(trials, order, null)
  return climbLadder(trials, order, {
    request: saturatingRequest(preflight.request, probe),
    setAside: preflight.execution === null ? 0 : 1,
    warmUpMicros: plan.warmUpMs * MICROS_PER_MS,
    durationMicros: plan.rungMs * MICROS_PER_MS,
    timeoutMicros: plan.timeoutMs * MICROS_PER_MS,
    createLatency: () => new Histogram(),
    onVisit: (visit) => options.tell?.(visitLine(visit, plan)),
  })
}

function saturatingRequest(
  request: CrewRequest,
  { target, tokens, headers, tls }: ProbedPlace,
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

interface PolledStanding {
  reasons: SaturationReason[]
  findings: SaturationDocument['findings']
}

const NOTHING_SEEN: PolledStanding = { reasons: [], findings: [] }

/**
 * Checks the state of the polled execution after the ladder: when it ended during the ladder, two
 * kinds of answers were measured.
 *
 * Polls once more, when there was a ladder on an execution and the target is still there.
 */
async function checkPolledExecution(
  { options, trials }: SaturationSession,
  preflight: Preflight | null,
  probe: ProbedPlace,
  hasClimbed: boolean,
): Promise<PolledStanding> {
  if (preflight === null || preflight.execution === null) return NOTHING_SEEN
  if (!hasClimbed || trials.ended === 'target') return NOTHING_SEEN
  const { request, execution } = preflight
  const after = await trials.closing('standing', async (trial) => {
    if (!(await trial.reserve(REQUEST))) return null
    trial.sent(REQUEST)
    return askPhase(probe, request)
  })
  return after === null ? NOTHING_SEEN : compared(options, execution, after)
}

async function askPhase(place: ProbedPlace, request: CrewRequest): Promise<Phase> {
  const probe = await openProbe(place, place.tokens[0] ?? null)
  try {
    return readStatus(await probe.ask(request)).phase
  } finally {
    await probe.close()
  }
}

const KNOWN: ReadonlySet<Phase> = new Set(['running', 'paused', 'completed', 'failed'])

function compared(
  options: SaturateOptions,
  { kickoffId, phase }: NonNullable<Preflight['execution']>,
  after: Phase,
): PolledStanding {
  if (after === phase) return { reasons: [], findings: [] }
  const phases = { before: phase, after }
  if (!KNOWN.has(phase) || !KNOWN.has(after)) {
    return { reasons: [], findings: [findingOf(FINDINGS, 'answers-mixed', phases)] }
  }
  const own = options.run.profile === undefined ? kickoffId : null
  return { reasons: [reasonOf(REASONS, 'mixed', { ...phases, kickoffId: own })], findings: [] }
}
