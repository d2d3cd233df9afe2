/**
 * The fields of a request, each with the name of its shape: `micros` or `flag`. Type, columns,
 * check, journal line and the log of an execution in flight derive from this table.
 */

/**
 * Times are in integer microseconds; `dueMicros` counts from the execution's `intendedMicros`, so
 * that response time = late + wait + service and done = intended + due + late + wait + service.
 */
export const REQUEST_FIELDS = {
  /**
   * When the request was intended: the schedule's time, or the previous answer plus the interval.
   */
  dueMicros: 'micros',
  /**
   * The time from the intended moment to the hand-over to the host: the generator's own lateness.
   */
  lateMicros: 'micros',
  /**
   * The wait for a connection: from the hand-over to the host to the first byte on a socket, or to
   * the failure if never sent.
   */
  waitMicros: 'micros',
  /**
   * The time from the first byte sent to the last byte received, or to the failure; -1 if never
   * sent.
   */
  serviceMicros: 'micros',
  answer: 'answerCode',
  /** Whether the request opened its connection. */
  fresh: 'flag',
  /** Whether the request is a retry; a poll at its regular interval is not. */
  retry: 'flag',
} as const satisfies { answer: 'answerCode' } & Readonly<Record<string, 'answerCode' | Packed>>

/** The shapes whose fields the log of an execution keeps whatever they mean. */
type Packed = 'micros' | 'flag'

type RequestField = keyof typeof REQUEST_FIELDS

export const REQUEST_FIELD_NAMES = Object.keys(REQUEST_FIELDS) as RequestField[]

/** The fields that place a request in time. */
export const TIMELINE: ReadonlySet<string> = new Set<RequestField>([
  'dueMicros',
  'lateMicros',
  'waitMicros',
  'serviceMicros',
])

/** The fields of one shape. */
type PackedField<Shape extends string> = {
  [Name in RequestField]: (typeof REQUEST_FIELDS)[Name] extends Shape ? Name : never
}[RequestField]

export function requestFieldsOf<Shape extends Packed>(shape: Shape): readonly PackedField<Shape>[] {
  return REQUEST_FIELD_NAMES.filter(
    (name) => REQUEST_FIELDS[name] === shape,
  ) as PackedField<Shape>[]
}
