/** Words for the plans of studies. */
import { plural } from '../../report/frame/format.ts'
import type { PlanText } from '../../report/frame/render/terminal.ts'
import type { CrewPaths } from '../../crew/request.ts'
import type { StudyDocument } from './envelope.ts'

/** For example `at most 100 kickoffs and 5,000 requests over all trials`. */
export function budgetWords({ requests, kickoffs }: StudyDocument['budget']): string {
  const limits = [
    ...(kickoffs === null ? [] : [plural(kickoffs, 'kickoff')]),
    ...(requests === null ? [] : [plural(requests, 'request')]),
  ]
  return limits.length === 0 ? 'no limit' : `at most ${limits.join(' and ')} over all trials`
}

/** The rows of what is not as documented. */
export function wayRows(ways: { paths?: CrewPaths; members?: string[] }): PlanText['rows'] {
  const { paths, members = [] } = ways
  return [
    ...(paths === undefined
      ? []
      : [['paths', `${paths.inputs}, ${paths.kickoff}, ${paths.status}`] as const]),
    ...(members.length === 0 ? [] : [['members', `beside inputs: ${members.join(', ')}`] as const]),
  ]
}
