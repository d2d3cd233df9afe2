/** Reasons of executions, as tests make and compare them. */
import type { EndReason } from '../../src/execution/record/reason.schema.ts'
import { endReasonText } from '../../src/result/sentences/end-reasons.ts'
import type { ExecutionRecord } from '../../src/execution/record/record.ts'
import type { ResultDocument } from '../../src/result/document.ts'

/** The words for the reason; null without one. */
export function whyOf({ reason }: Pick<ExecutionRecord, 'reason'>): string | null {
  return reason === null ? null : endReasonText(reason)
}

/** The record with its reason in words. */
export function inWords(record: ExecutionRecord): object {
  return { ...record, reason: whyOf(record) }
}

export function spent(budget: 'kickoff' | 'request' | 'time', isPart = false): EndReason {
  return { code: 'budget-spent', budget, isPart }
}

/** The run was stopped by whoever said so. */
export function stopped(when: 'unsent' | 'now' | 'drained', why = 'stopped'): EndReason {
  return { code: 'stopped', when, stop: { code: 'asked', why } }
}

export function crewSaid(text: string): EndReason {
  return { code: 'crew-error', text }
}

/** `budget`, `threshold execution.p50`: the codes of a verdict's reasons, with their metrics. */
export function codesOf({ verdict }: Pick<ResultDocument, 'verdict'>): string[] {
  return verdict.reasons.map((reason) =>
    [reason.code, 'metric' in reason ? reason.metric : []].flat().join(' '),
  )
}
