/**
 * Metrics of HTTP requests: their times, and how many failed, were retried or opened a connection.
 */
import type { MetricFamily } from './family.ts'

const COMPARE = 'compare response with service time: a gap is queueing before the target'

export const REQUEST_METRICS = [
  {
    kind: 'kickoffResponse',
    pattern: 'kickoff.response.<statistic>',
    unit: 'micros',
    time: 'real',
    meaning:
      'How long a user waits until the kickoff is accepted, from the intended start, ' +
      'including retries and pauses, over all arrivals ' +
      'that were due. Never for those rejected or unknown.',
    observation: 'execution',
    of: 'run',
    hint: COMPARE,
  },
  {
    kind: 'request',
    pattern: '<operation>.<service|response|attempt|refused|socketWait>.<statistic>',
    unit: 'micros',
    time: 'real',
    meaning: 'Time of the requests of one operation: inputs, kickoff or status.',
    each: {
      response:
        'From the intended time of a request to the last byte of a usable answer, free of ' +
        'coordinated omission.',
      service: 'From the first byte sent to the last byte received of a usable answer.',
      attempt: 'As `response`, for each single request; retries count separately.',
      refused: 'Service time of answers that refused the request or were unusable.',
      socketWait: 'From handing the request over to its first byte on a socket.',
    },
    observation: 'request',
    of: 'run',
    hint: COMPARE,
  },
  {
    kind: 'requestError',
    pattern: '<operation>.error',
    unit: 'share',
    time: 'real',
    meaning: 'Share of requests without a usable answer, including retries.',
    observation: 'request',
    of: 'run',
    hint: 'see what went wrong in the report, by reason and error class',
  },
  {
    kind: 'lateness',
    pattern: 'lateness.<statistic>',
    unit: 'micros',
    time: 'real',
    meaning: 'From intended to sent: the delay caused by the generator, never by the target.',
    observation: 'request',
    of: 'run',
    hint: 'lower the rate, or run the generator on a separate machine',
  },
  {
    kind: 'handshakeShare',
    pattern: 'connections.handshakeShare',
    unit: 'share',
    time: 'real',
    meaning: 'Share of requests that had to open a connection.',
    observation: null,
    of: 'run',
    hint: "poll within the target's keep-alive time, or raise it",
  },
  {
    kind: 'retryRatio',
    pattern: 'retries.ratio',
    unit: 'share',
    time: 'crew',
    meaning:
      'Retries per first attempt, kickoffs and polls together; 0.1 is ten per cent ' +
      'more requests.',
    observation: null,
    of: 'run',
    hint: 'poll less often: see the advice on polling in the report',
  },
] as const satisfies readonly MetricFamily[]
