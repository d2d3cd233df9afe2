/**
 * What a search for capacity may find, and why it may have no answer: the severity of each finding,
 * and the remedy of each reason, by their codes.
 */
import { formatCount } from '../../../base/numbers.ts'
import type { FindingTable, ReasonTable } from '../../frame/findings.ts'

/** What a crew does that no queue for workers does: reasons to refuse the model, or findings. */
export const CAUSES = {
  limiter: 'warning',
  restarted: 'warning',
  'workers-vanished': 'warning',
  'workers-leave': 'warning',
  drift: 'warning',
  cliff: 'warning',
  'another-load': 'warning',
  'step-in-front': 'warning',
  'failures-grow': 'warning',
} as const satisfies FindingTable

export const FINDINGS = {
  ...CAUSES,
  'polls-refused': { severity: 'warning', remedy: 'crewload limits finds the limit' },
  'quota-texts': {
    severity: 'warning',
    remedy: 'look at the usage page of your language model',
  },
  'never-ended': 'warning',
  'slow-task': 'warning',
  'limit-unknown': { severity: 'warning', remedy: 'more kickoffs tell' },
  'cold-start': 'warning',
  'different-crews': 'warning',
  'time-lapse': 'info',
} as const satisfies FindingTable

/** How a search that sends was limited. */
export interface SearchLimits {
  isStopped: boolean
  wasOutOfTime: boolean
  /** Of its budget. */
  kickoffs: number
}

const CONTINUE = 'continue the search with crewload resume'
const MORE_OR_LONGER = 'allow more kickoffs or more time'
const TRY_IN_FLIGHT = 'try more with --max-in-flight'
const RAISE = 'raise what all executions share, such as a quota of the language model'
const RELIEFS = { workers: 'add workers', shared: RAISE, both: `add workers and ${RAISE}` }
/** Enough for a small crew. */
export const TRY_KICKOFFS = 1_000

function crewWith(kickoffs: number): string {
  return `--target URL --max-kickoffs ${kickoffs}, or --profile NAME`
}

function fillWith(kickoffs: number): string {
  return `let the search fill the crew: ${crewWith(kickoffs)}`
}

/** `least`: fewer kickoffs than these are not enough. */
function allowMore({ isStopped, wasOutOfTime, kickoffs }: SearchLimits, least = 0): string {
  if (isStopped) return CONTINUE
  const more = kickoffs < least ? least : Number((kickoffs * 4).toPrecision(1))
  return wasOutOfTime ? 'allow more time with --max-duration' : `allow more: --max-kickoffs ${more}`
}

/** A wider interval than this many times the one asked for cannot tell how much more is needed. */
const MOST_TIMES = 4

interface WideInterval {
  /** The kickoffs that show whether the queue is limited; null where that is known. */
  toFill: number | null
  /** Executions that began in the full crew. */
  executions: number
  /** The width over the one asked for; it falls with the square root of the executions. */
  times: number
}

function narrower(sent: SearchLimits | null, { toFill, executions, times }: WideInterval): string {
  if (sent?.isStopped === true) return CONTINUE
  if (toFill !== null) return sent === null ? fillWith(toFill) : allowMore(sent, toFill)
  if (times <= MOST_TIMES) {
    const more = Number(Math.ceil(executions * (times ** 2 - 1)).toPrecision(1))
    return `about ${formatCount(more)} more kickoffs would make it narrow enough`
  }
  const more = sent === null ? 'name longer runs' : 'allow several times as many kickoffs'
  return `${more}: there are too few executions to tell how many are needed`
}

/** `sent`: null where nothing is sent. */
export const REASONS = {
  limiter: 'find the limit with crewload limits --kickoffs N, lift it, and repeat the search',
  restarted: 'find why it restarted, such as a deployment or too little memory; then search again',
  'workers-vanished': 'find why they stopped, such as crashes, or another load on the crew',
  'workers-leave': 'keep idle workers for longer, or set a higher least number of them',
  drift: 'find what accumulates in the crew; crewload run soak shows how far the drift goes',
  cliff: 'limit the crew to the lower number; crewload recovery shows whether it recovers',
  'another-load': 'repeat the search while no other client uses the crew',
  'step-in-front': 'find the step in front of the workers, such as a connection pool or a gateway',
  'failures-grow': 'find what fails in a full crew: crewload run shows the messages',
  'times-contradict': 'look for something that executions share, such as a quota or a processor',
  'http-grows': 'enlarge what serves requests, such as a connection pool, or poll less often',
  'grows-with-load': 'limit the executions that run at once, or relax the promises',
  'model-refused': 'see below which part disagrees',
  'still-growing': (isAtMost: boolean) => (isAtMost ? TRY_IN_FLIGHT : MORE_OR_LONGER),
  'too-few': 'allow more kickoffs',
  'not-full': (sent: SearchLimits | null, areRunsShort: boolean) =>
    sent === null
      ? `${areRunsShort ? 'name runs with more load, or ' : ''}${fillWith(TRY_KICKOFFS)}`
      : allowMore(sent),
  'no-limit': TRY_IN_FLIGHT,
  wide: narrower,
  'not-confirmed': (sent: SearchLimits | null, needed: number) =>
    sent === null
      ? `${needed} kickoffs at that rate would confirm it: add ${crewWith(TRY_KICKOFFS)}`
      : sent.isStopped
        ? CONTINUE
        : MORE_OR_LONGER,
  'fails-alone': 'relax the promises, or make executions shorter or more reliable',
  'below-expected': (limit: keyof typeof RELIEFS | null) =>
    `${limit === null ? 'find what limits a full crew' : RELIEFS[limit]}, or relax the promises`,
  'expected-within': 'request a narrower interval with --within',
  target: 'restore the target; crewload resume makes the missing loads',
} as const satisfies ReasonTable
