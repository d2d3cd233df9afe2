/** Words for the plans of studies. */
import { plural } from '../../report/frame/format.ts'
import type { StudyDocument } from './envelope.ts'

/** For example `at most 100 kickoffs and 5,000 requests over all trials`. */
export function budgetWords({ requests, kickoffs }: StudyDocument['budget']): string {
  const limits = [
    ...(kickoffs === null ? [] : [plural(kickoffs, 'kickoff')]),
    ...(requests === null ? [] : [plural(requests, 'request')]),
  ]
  return limits.length === 0 ? 'no limit' : `at most ${limits.join(' and ')} over all trials`
}
