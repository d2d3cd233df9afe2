/** Describes how a k6 process ended. */

export interface K6Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** The exit codes are from `errext/exitcodes/codes.go` of k6 2.2. */
const MEANINGS = new Map<number, string>([
  [97, 'a cloud run failed'],
  [98, 'a cloud run failed'],
  [99, 'its own thresholds failed'],
  [100, 'setup took too long'],
  [101, 'teardown took too long'],
  [102, 'a time-out'],
  [103, 'it was stopped through its REST interface'],
  [104, 'its configuration is wrong'],
  [105, 'it was interrupted'],
  [106, 'its REST interface could not listen'],
  [107, 'its script threw'],
  [108, 'its script aborted the run'],
  [109, 'a Go panic'],
  [110, 'its script marked the run as failed'],
])

/** The words begin with a verb; null when the process ended normally. */
export function exitWords({ code, signal }: K6Exit): string | null {
  if (signal !== null) return `was ended by ${signal}`
  if (code === 0) return null
  if (code === null) return 'could not be started'
  const meaning = MEANINGS.get(code)
  return `ended with exit code ${code}${meaning === undefined ? '' : `: ${meaning}`}`
}
