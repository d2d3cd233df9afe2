/**
 * Checks the state of the polled execution after the ladder: when it ended during the ladder, two
 * kinds of answers were measured.
 */
import type { Finding, Reason } from '../../../result/document.ts'
import type { CrewRequest } from '../../../crew/answer.ts'
import type { Phase } from '../../../crew/observation.ts'
import { readStatus } from '../../../crew/read.ts'
import { openProbe } from '../../../run/check/probe.ts'
import type { SaturateOptions } from '../plan/options.ts'
import type { Preflight, ProbedPlace, SaturationSession } from './preflight.ts'

interface Standing {
  reasons: Reason[]
  findings: Finding[]
}

const NOTHING_SEEN: Standing = { reasons: [], findings: [] }
const REQUEST = { requests: 1, kickoffs: 0 }

/** Polls once more, when there was a ladder on an execution and the target is still there. */
export async function checkPolledExecution(
  { options, trials }: SaturationSession,
  preflight: Preflight | null,
  probe: ProbedPlace,
  hasClimbed: boolean,
): Promise<Standing> {
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

const TOLD: ReadonlySet<Phase> = new Set(['running', 'paused', 'completed', 'failed'])

function compared(
  options: SaturateOptions,
  { kickoffId, phase }: NonNullable<Preflight['execution']>,
  after: Phase,
): Standing {
  if (after === phase) return { reasons: [], findings: [] }
  if (!TOLD.has(phase) || !TOLD.has(after)) {
    const message =
      `Before the ladder the polled execution was ${phase}, after it ${after}: its ` +
      'answers may not all be of one kind.'
    return { reasons: [], findings: [{ severity: 'warning', message }] }
  }
  const message =
    `the polled execution went from ${phase} to ${after} during the ladder, so ` +
    'that answers of both kinds were measured'
  return { reasons: [{ code: 'mixed', message, remedy: remedy(options, kickoffId) }], findings: [] }
}

/** Our own fake crew has ended by now, and its executions with it. */
function remedy({ profile }: SaturateOptions, kickoffId: string): string {
  return profile === undefined
    ? `poll this one again: --kickoff-id ${kickoffId}`
    : 'start the fake crew separately (crewload fake), and poll an ended execution ' +
        'of it: --kickoff-id ID'
}
