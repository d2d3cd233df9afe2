/**
 * After the ladder: how does the execution stand that was asked about? A ladder over its end
 * measured two kinds of answers.
 */
import type { Finding, Reason } from '../../../analysis/document.ts'
import type { CrewRequest } from '../../../crew/answer.ts'
import type { Phase } from '../../../crew/observation.ts'
import { readStatus } from '../../../crew/read.ts'
import type { ProbeOptions } from '../../../run/check/probe.ts'
import { openProbe } from '../../../run/check/probe.ts'
import type { SaturateOptions } from '../plan/options.ts'
import type { Preflight } from './preflight.ts'

interface Standing {
  reasons: Reason[]
  findings: Finding[]
  /** That it took to ask. */
  requests: number
}

/**
 * Asks once more, where there was a ladder over an execution and the target is still there:
 * `worthAsking`.
 */
export async function standing(
  options: SaturateOptions,
  { request, execution }: Preflight,
  probe: ProbeOptions & { tokens: readonly string[] },
  worthAsking: boolean,
): Promise<Standing> {
  if (execution === null || !worthAsking) return { reasons: [], findings: [], requests: 0 }
  const after = await askPhase(probe, request)
  return { ...compared(options, execution, after), requests: 1 }
}

async function askPhase(
  place: ProbeOptions & { tokens: readonly string[] },
  request: CrewRequest,
): Promise<Phase> {
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
): Omit<Standing, 'requests'> {
  if (after === phase) return { reasons: [], findings: [] }
  if (!TOLD.has(phase) || !TOLD.has(after)) {
    const message = `Before the ladder the execution that was asked about was ${phase}, after it ${after}: its answers may not all be of one kind.`
    return { reasons: [], findings: [{ severity: 'warning', message }] }
  }
  const message = `the execution that was asked about went from ${phase} to ${after} during the ladder, so that answers of both kinds were measured`
  return { reasons: [{ code: 'mixed', message, remedy: remedy(options, kickoffId) }], findings: [] }
}

/** A fake crew of our own is gone by now, and its executions with it. */
function remedy({ profile }: SaturateOptions, kickoffId: string): string {
  return profile === undefined
    ? `ask about this one again: --kickoff-id ${kickoffId}`
    : 'start it by itself (crewload fake), and ask about an execution of it that has ended: --kickoff-id ID'
}
