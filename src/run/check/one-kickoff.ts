/** What one kickoff shows about a target: dialect, time, polls, contract. */
import type { ResultDocument } from '../../result/document.ts'
import { unreachable } from '../../base/assert.ts'
import type { ListedInput } from '../../crew/observation.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import type { Answer } from '../../crew/answer.ts'
import { readStatus } from '../../crew/read.ts'
import type { CrewPaths } from '../../crew/crew-request.ts'
import { DOCUMENTED_PATHS } from '../../crew/crew-request.ts'
import { diagnosisOf } from './diagnosis.ts'
import type { CheckDiagnosis } from './sentences.ts'
import { DIAGNOSES } from './sentences.ts'

/**
 * Diagnoses from the result of a run of one execution. `last`: the answer to one more status
 * request about it; null if none was sent.
 */
export function paidDiagnoses(document: ResultDocument, last: Answer | null): CheckDiagnosis[] {
  return [
    executionDiagnosis(document),
    dialectDiagnosis(document, last),
    contractDiagnosis(document),
  ]
}

/** What the one kickoff carried of the inputs that the crew lists. */
export function sentInputs(
  sent: readonly string[],
  listed: readonly ListedInput[],
): CheckDiagnosis {
  const left = listed.map(({ name }) => name).filter((name) => !sent.includes(name))
  return diagnosisOf(DIAGNOSES, 'inputs-sent', { sent, left })
}

function executionDiagnosis({ samples }: ResultDocument): CheckDiagnosis {
  const record = samples[0]?.record
  if (record === undefined) return diagnosisOf(DIAGNOSES, 'kickoff-unsent', {})
  const { outcome, reason, reported, endedMicros, intendedMicros, polls, kickoff } = record
  const { executionTimeSeconds } = reported
  const isStarted = outcome !== 'rejected' && outcome !== 'unknown'
  return diagnosisOf(DIAGNOSES, codeOf(record), {
    outcome,
    reason,
    tookMicros: endedMicros - intendedMicros,
    executionTimeSeconds,
    polls: polls.answer.length,
    last: (isStarted ? polls : kickoff).answer.at(-1) ?? null,
  })
}

function codeOf({ outcome, polls }: ExecutionRecord) {
  switch (outcome) {
    case 'completed':
    case 'failed':
    case 'rejected':
    case 'unknown':
    case 'lost':
    case 'paused':
    case 'unreadable':
      return `execution-${outcome}` as const
    case 'stuck': {
      const last = polls.answer.at(-1)
      return last === undefined || last === 200 ? 'execution-runs-on' : 'execution-stuck'
    }
    case 'aborted':
    case 'dropped':
    case 'notReached':
      return 'execution-stopped'
    default:
      return unreachable(outcome)
  }
}

/** Members of a status since 2026-10, by which that dialect is distinguished from the older one. */
const ORIGINS = ['triggered_by', 'execution_origin']

function dialectDiagnosis({ run }: ResultDocument, last: Answer | null): CheckDiagnosis {
  const { dialect } = run
  const body = last === null ? undefined : readStatus(last).body
  const members = ORIGINS.filter((name) => body !== undefined && Object.hasOwn(body, name))
  if (dialect === 'platform' && members.length > 0) {
    return diagnosisOf(DIAGNOSES, 'dialect-2026-10', { members })
  }
  if (dialect === null) return diagnosisOf(DIAGNOSES, 'dialect-unknown', {})
  if (dialect === 'mixed') return diagnosisOf(DIAGNOSES, 'dialect-mixed', {})
  return diagnosisOf(DIAGNOSES, 'dialect-known', { dialect })
}

function contractDiagnosis({ contract }: ResultDocument): CheckDiagnosis {
  const { answersChecked: answers, rules } = contract
  if (answers === 0) return diagnosisOf(DIAGNOSES, 'contract-unchecked', {})
  if (rules.length === 0) return diagnosisOf(DIAGNOSES, 'contract-kept', { answers })
  const isDocumented = rules.some(({ basis }) => basis === 'documented')
  return diagnosisOf(DIAGNOSES, isDocumented ? 'contract-broken' : 'habits-broken', { rules })
}

/** `unknownId`: the answer about an execution that does not exist. */
export function shapeDiagnosis(
  { run, samples }: ResultDocument,
  paths: CrewPaths,
  unknownId: Answer,
): CheckDiagnosis {
  const { dialect } = run
  const progress = unitOf(samples[0]?.record)
  const kind = dialect === 'platform' && progress === 'steps' ? 'flow' : dialect
  const isUnknownNamed = readStatus(unknownId).phase === 'not-found'
  const differs = [
    ...(dialect === 'platform' ? [{ kind: 'state-field' } as const] : []),
    ...(dialect === 'mixed' ? [{ kind: 'both-fields' } as const] : []),
    ...(progress === 'steps' ? [{ kind: 'steps' } as const] : []),
    ...(isUnknownNamed && unknownId.status === 200 ? [{ kind: 'unknown-id' } as const] : []),
    ...(['inputs', 'kickoff', 'status'] as const)
      .filter((operation) => paths[operation] !== DOCUMENTED_PATHS[operation])
      .map((operation) => ({ kind: 'path', operation, path: paths[operation] }) as const),
  ]
  const code = kind === null ? 'shape-unknown' : 'shape-known'
  return diagnosisOf(DIAGNOSES, code, { kind, progress, differs })
}

function unitOf(record: ExecutionRecord | undefined): 'tasks' | 'steps' | null {
  const counted = (record?.changes ?? []).filter(({ completed }) => completed !== null)
  if (counted.length === 0) return null
  return counted.every(({ total }) => total === null) ? 'steps' : 'tasks'
}
