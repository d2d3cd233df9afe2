/** The names of the environment variables of a k6 script: the target, and every secret. */

/**
 * All are optional except the first if the script was made without a target. The script writes none
 * of the values, except target and run id.
 */
export const VARIABLES = {
  /** Base URL of the crew. */
  target: 'CREWLOAD_TARGET',
  /** Bearer tokens, one per line, assigned to executions in rotation. */
  token: 'CREWLOAD_TOKEN',
  /**
   * One `name: value` per line: the values of the plan's extra headers, which are not in the
   * script.
   */
  headers: 'CREWLOAD_HEADERS',
  /** Eight hex digits; the same for all processes of one run. Default: drawn by the process. */
  runId: 'CREWLOAD_RUN_ID',
  /**
   * Seconds: arrivals count from the next whole multiple of it on the wall clock, and the run id is
   * derived from that time. Default: they begin when the process does, and the run id is used
   * unchanged.
   */
  startEvery: 'CREWLOAD_START_EVERY',
  /** `1` accepts any certificate. */
  insecure: 'CREWLOAD_INSECURE',
  /** PEM of a client certificate and of its private key. Default: none. */
  cert: 'CREWLOAD_CERT',
  key: 'CREWLOAD_KEY',
  /** JSON: what crewload knew before it started k6 (`KnownAtStart`). Default: nothing. */
  known: 'CREWLOAD_KNOWN',
  /** The WebSocket that says when to begin and to stop. Default: none. */
  control: 'CREWLOAD_CONTROL',
} as const
