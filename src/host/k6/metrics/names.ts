/** The named metrics of crewload that k6's outputs receive. */

/** k6's `Trend` of times in milliseconds, `Counter` and `Rate`. */
type MetricKind = 'trend' | 'counter' | 'rate'

/**
 * Names that k6 accepts: ASCII letters, digits and `_`, at most 128. `checks` is k6's own, which
 * its dashboards show.
 */
export const K6_METRICS = {
  crewload_kickoff_response_time: {
    kind: 'trend',
    meaning: 'intended to accepted, retries included',
  },
  crewload_status_response_time: {
    kind: 'trend',
    meaning: 'intended to last byte, of each readable 2xx answer to a poll',
  },
  crewload_execution_time: {
    kind: 'trend',
    meaning: 'intended start to known end, where a poll saw the end',
  },
  crewload_detection_delay: {
    kind: 'trend',
    meaning: 'last poll that saw no end to the poll that saw it: an upper bound',
  },
  crewload_outcomes: { kind: 'counter', meaning: 'arrivals, by outcome' },
  crewload_requests: { kind: 'counter', meaning: 'kickoffs and polls, by operation and answer' },
  crewload_unserved: {
    kind: 'rate',
    meaning:
      'rejected, unknown, lost, stuck or unreadable, out of all that were due and not aborted',
  },
  crewload_failed: { kind: 'rate', meaning: 'failed, out of completed and failed' },
  checks: { kind: 'rate', meaning: 'passed, by check' },
} as const satisfies Record<string, { kind: MetricKind; meaning: string }>

export type K6MetricName = keyof typeof K6_METRICS
