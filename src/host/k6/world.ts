/**
 * The few calls of k6 that the host needs. Tests pass their own; inside k6 they are k6's modules.
 */
import type { RefinedParams, RefinedResponse } from 'k6/http'

export type K6Response = Pick<
  RefinedResponse<'text'>,
  'status' | 'headers' | 'body' | 'error' | 'error_code' | 'remote_ip'
> & {
  timings: Pick<
    RefinedResponse<'text'>['timings'],
    'blocked' | 'connecting' | 'sending' | 'waiting'
  >
}

export type K6Params = RefinedParams<'text'>

export interface World {
  /** k6 reads the script for its options before any VU has begun: `k6 archive` does no more. */
  isFirstReading(): boolean
  /**
   * Milliseconds since the test run began, in steps of a microsecond: k6's own measurement, which
   * follows the wall clock.
   */
  elapsedMs(): number
  /** Wall clock, whole Unix milliseconds. */
  unixMs(): number
  /** Milliseconds, with fraction. Uses a monotonic clock; never early by it. */
  setTimeout(run: () => void, ms: number): number
  clearTimeout(timer: number): void
  /** Resolves whatever the target does; rejects if k6 itself cannot continue with it. */
  request(
    method: 'GET' | 'POST',
    url: string,
    body: string | null,
    params: K6Params,
  ): Promise<K6Response>
  /**
   * Opens a WebSocket. `heard` gets each text, and null when it is closed or cannot be opened.
   * Returns what closes it.
   */
  listen(url: string, heard: (text: string | null) => void): () => void
  /** Writes one line to the console. When it returns, the operating system has the line. */
  log(line: string): void
  /** Ends the whole test run with exit code 108. */
  abort(why: string): never
}
