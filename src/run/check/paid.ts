/** What one kickoff shows about a target: dialect, time, polls, contract. */
import type { ResultDocument } from '../../analysis/document.ts'
import { plural } from '../../analysis/metrics/format.ts'
import { formatDuration } from '../../base/units.ts'
import type { Diagnosis } from '../doctor/index.ts'

/** Findings from the result of a run of one execution. */
export function paidFindings(document: ResultDocument): Diagnosis[] {
  return [executionFinding(document), dialectFinding(document), contractFinding(document)]
}

function executionFinding({ samples, outcomes }: ResultDocument): Diagnosis {
  const record = samples[0]?.record
  const ended = outcomes.completed + outcomes.failed === 1
  const took = record === undefined ? 0 : record.endedMicros - record.intendedMicros
  const said = record?.reported.executionTimeSeconds ?? null
  const own = said === null ? '' : `, ${formatDuration(said * 1_000_000)} as the crew reports it`
  const polls = plural(record?.polls.answer.length ?? 0, 'poll')
  const why = record?.reason ? ` (${record.reason})` : ''
  return {
    name: 'execution',
    state: outcomes.completed === 1 ? 'ok' : 'warning',
    found: `${record?.outcome ?? 'none'}${why} after ${formatDuration(took)}${own}, ${polls}`,
    meaning: 'one kickoff, followed to its end',
    remedy: ended ? null : 'wait longer with --wait, or look at the crew in its dashboard',
  }
}

function dialectFinding({ run }: ResultDocument): Diagnosis {
  const odd = run.dialect === null || run.dialect === 'mixed'
  return {
    name: 'dialect',
    state: odd ? 'warning' : 'ok',
    found: run.dialect ?? 'unknown',
    meaning:
      'answers of the dialect "interface" have the field `status`, those of "platform" the ' +
      'field `state`; both are read',
    remedy: odd ? 'most public clients read only `state`: they may poll this target forever' : null,
  }
}

function contractFinding({ contract }: ResultDocument): Diagnosis {
  const broken = contract.rules.map(
    ({ rule, basis, example }) => `${rule} (${basis}): ${example.seen}`,
  )
  return {
    name: 'contract',
    state: contract.documentedViolations > 0 ? 'problem' : broken.length > 0 ? 'warning' : 'ok',
    found:
      broken.length === 0
        ? `no rule broken in ${plural(contract.answersChecked, 'answer')}`
        : broken.join('; '),
    meaning: 'the rules of the interface (crewload schema contract lists them)',
    remedy: broken.length === 0 ? null : 'clients that rely on these rules will fail',
  }
}
