/** The shape of a crew, as its answers showed it, and how it differs from the document. */
import type { ResultDocument } from '../../result/document.ts'
import type { Answer } from '../../crew/answer.ts'
import { readStatus } from '../../crew/read.ts'
import type { CrewPaths } from '../../crew/request.ts'
import { DOCUMENTED_PATHS } from '../../crew/request.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import type { Diagnosis } from '../doctor/index.ts'

type Unit = 'tasks' | 'steps' | null

/** `unknownId`: the answer about an execution that does not exist. */
export function shapeFinding(
  { run, samples }: ResultDocument,
  paths: CrewPaths,
  unknownId: Answer,
): Diagnosis {
  const unit = unitOf(samples[0]?.record)
  const kind = run.dialect === 'platform' && unit === 'steps' ? 'flow' : run.dialect
  const differs = [
    ...(run.dialect === 'platform' ? ['states are in `state`, not in `status`'] : []),
    ...(run.dialect === 'mixed' ? ['answers carry both `state` and `status`'] : []),
    ...(unit === 'steps' ? ['progress counts steps without a total'] : []),
    ...unknownWords(unknownId),
    ...pathWords(paths),
  ]
  const progress = unit === null ? 'no progress seen' : `progress in ${unit}`
  return {
    name: 'shape',
    state: kind === null ? 'absent' : 'ok',
    found:
      `${kind ?? 'no answer shows it'}, ${progress}` +
      (differs.length === 0 ? ', as documented' : `; other than documented: ${differs.join('; ')}`),
    meaning: 'which of the known forms of the interface the crew speaks',
    remedy: null,
  }
}

function unitOf(record: ExecutionRecord | undefined): Unit {
  const counted = (record?.changes ?? []).filter(({ completed }) => completed !== null)
  if (counted.length === 0) return null
  return counted.every(({ total }) => total === null) ? 'steps' : 'tasks'
}

function unknownWords(answer: Answer): string[] {
  const isTold = readStatus(answer).phase === 'not-found'
  return isTold && answer.status === 200 ? ['an unknown id is answered 200, not 404'] : []
}

function pathWords(paths: CrewPaths): string[] {
  return (['inputs', 'kickoff', 'status'] as const)
    .filter((operation) => paths[operation] !== DOCUMENTED_PATHS[operation])
    .map((operation) => `${operation} is at ${paths[operation]}`)
}
