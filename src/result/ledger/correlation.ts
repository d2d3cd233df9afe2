/**
 * Identifies whose request a ledger row records: by the `x-correlation-id` that ours carry, `<run
 * id>/<index>`.
 */

/**
 * The index of the arrival that it names; null for another run's, for a request outside any
 * execution (the preflight), and for none.
 */
export function arrivalOf(correlation: string | null, runId: string): number | null {
  if (correlation === null || !correlation.startsWith(`${runId}/`)) return null
  const index = correlation.slice(runId.length + 1)
  return /^\d+$/.test(index) ? Number(index) : null
}
