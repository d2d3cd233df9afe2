/** An ended execution as a trace: its requests are spans below one of the execution. */
import type { ExecutionRecord, RequestColumns } from '../../execution/record/record.ts'
import { endText } from '../../execution/record/reason.ts'
import { requestsIn } from '../../execution/record/request-row.ts'
import { isUnsent } from '../../execution/record/unsent.ts'
import type { Micros } from '../../base/units.ts'
import type { Measured } from './live.ts'
import { isFine, ROUTES } from './live.ts'
import { statusLabel } from './samples.ts'

export interface PlannedSpan {
  name: string
  /** The start, on the clock of the instance. */
  startMicros: Micros
  endMicros: Micros
  attributes: Record<string, string | number | boolean>
  /** Null unless it failed. */
  error: string | null
}

export interface PlannedTrace {
  execution: PlannedSpan
  requests: PlannedSpan[]
}

/** The most polls of a trace; a longer execution keeps those at its beginning and at its end. */
const MOST_POLLS = 200
const MOST_TAGS = 16
/** The most characters of a text that comes from a target, or from the inputs. */
const LONGEST_TEXT = 200

/**
 * Null for an arrival that was never sent. Nothing that a target answered becomes a name; what is
 * cited of it is short, and tokens were removed before the record was written.
 */
export function traceOf(record: ExecutionRecord): PlannedTrace | null {
  if (isUnsent(record.outcome)) return null
  const kickoffs = requestsOf(record, 'kickoff', record.kickoff)
  const polls = requestsOf(record, 'status', record.polls)
  const kept =
    polls.length <= MOST_POLLS
      ? polls
      : [...polls.slice(0, MOST_POLLS / 2), ...polls.slice(-MOST_POLLS / 2)]
  return {
    execution: {
      name: 'execution',
      startMicros: record.intendedMicros,
      endMicros: record.endedMicros,
      attributes: attributesOf(record, polls.length - kept.length),
      error: record.outcome === 'completed' ? null : shortened(whyOf(record)),
    },
    requests: [...kickoffs, ...kept],
  }
}

function whyOf({ outcome, reason }: ExecutionRecord): string {
  return reason === null ? outcome : endText(reason)
}

function attributesOf(record: ExecutionRecord, omitted: number): PlannedSpan['attributes'] {
  const { index, instance, outcome, kickoffId, warmUp, tags } = record
  const told = Object.entries(tags).slice(0, MOST_TAGS)
  return {
    'crewload.index': index,
    'crewload.instance': instance,
    'crewload.outcome': outcome,
    'crewload.warm_up': warmUp,
    ...(kickoffId === null ? {} : { 'crewload.kickoff_id': shortened(kickoffId) }),
    ...(omitted === 0 ? {} : { 'crewload.polls_omitted': omitted }),
    ...Object.fromEntries(
      told.map(([name, value]) => [`crewload.tag.${shortened(name)}`, shortened(value)]),
    ),
  }
}

function requestsOf(
  { intendedMicros }: ExecutionRecord,
  operation: Measured,
  columns: RequestColumns,
): PlannedSpan[] {
  const route = ROUTES[operation]
  return requestsIn(columns, intendedMicros).map((request) => {
    const { answer, lateMicros, waitMicros, sentMicros, doneMicros } = request
    const fine = isFine(answer)
    return {
      name: `${route['http.request.method']} ${route['url.template']}`,
      startMicros: request.serviceMicros < 0 ? sentMicros - waitMicros : sentMicros,
      endMicros: doneMicros,
      attributes: {
        ...route,
        ...(typeof answer === 'number' ? { 'http.response.status_code': answer } : {}),
        ...(fine ? {} : { 'error.type': String(answer) }),
        ...(request.retry === 1 ? { 'crewload.retry': true } : {}),
        'crewload.late_ms': lateMicros / 1_000,
      },
      error: fine ? null : typeof answer === 'number' ? `HTTP ${statusLabel(answer)}` : answer,
    }
  })
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`
}
