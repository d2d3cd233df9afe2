/** What was seen beside the queue for workers. */
import type { Finding } from '../../../analysis/document.ts'
import { plural } from '../../../analysis/metrics/format-metric.ts'
import { formatShare } from '../../../base/units.ts'
import type { Analysed } from './analyse.ts'
import { isRefused } from './learn/learn.ts'

export function findingsOf({ search }: Analysed): Finding[] {
  const { learned } = search
  const findings: Finding[] = []
  const executions = learned.loads.flatMap(({ seen }) => seen.executions)
  const refused = executions.filter(isRefused).length
  if (refused > 0 && learned.queueLimit === null) {
    findings.push({
      severity: 'warning',
      message: `${plural(refused, 'kickoff')} of ${executions.length} were refused with 429 or 503, and not because of a full queue: a limiter is in front of the crew. Run crewload limits to learn it`,
    })
  }
  if (learned.neverShare > 0) {
    findings.push({
      severity: 'warning',
      message: `${formatShare(learned.neverShare)} of the executions that began were not seen to end; if they keep their workers, the crew runs out of them`,
    })
  }
  return findings
}
