/** Observations of runs that never were: all that nobody sets is empty. */
import type {
  ArrivalBin,
  Group,
  Observations,
  RequestObservations,
} from '../../src/result/observations.ts'
import type { Lifetimes } from '../../src/result/statistics/sample.ts'
import type { Outcome } from '../../src/execution/record/record.ts'
import { OUTCOMES } from '../../src/execution/record/record.ts'
import { exactSample } from './samples.ts'

const NO_SAMPLE = exactSample([])
const NO_TIMES: Lifetimes = { ended: NO_SAMPLE, censored: NO_SAMPLE, never: 0 }

export function outcomesOf(seen: Partial<Record<Outcome, number>>): Record<Outcome, number> {
  const none = Object.fromEntries(OUTCOMES.map((name) => [name, 0])) as Record<Outcome, number>
  return { ...none, ...seen }
}

export function groupOf(seen: Partial<Group> = {}): Group {
  return {
    arrivals: 0,
    outcomes: outcomesOf({}),
    open: 0,
    accepted: 0,
    executions: NO_TIMES,
    kickoffs: NO_TIMES,
    completed: NO_SAMPLE,
    detection: NO_TIMES,
    polls: 0,
    wastedPolls: 0,
    withoutOutput: 0,
    checks: new Map(),
    throughput: null,
    ...seen,
  }
}

export function requestsOf(seen: Partial<RequestObservations> = {}): RequestObservations {
  return {
    requests: 0,
    errors: 0,
    cancelled: 0,
    retries: 0,
    byClass: new Map(),
    service: NO_TIMES,
    attempt: NO_TIMES,
    refused: NO_SAMPLE,
    socketWait: NO_SAMPLE,
    sent: 0,
    fresh: 0,
    ...seen,
  }
}

export function binOf(group: Group): ArrivalBin {
  return { group, requests: { kickoff: requestsOf(), status: requestsOf() } }
}

export function observationsOf(seen: Partial<Observations> = {}): Observations {
  return {
    runs: [],
    finished: [],
    instances: [],
    lastSeenMicros: 0,
    endedLines: 0,
    inFlightSumMicros: 0,
    inFlight: null,
    open: [],
    resumed: 0,
    cutMicros: null,
    wasCut: false,
    lastDueMicros: null,
    warmUpArrivals: 0,
    warmUpOutcomes: {},
    scenarioErrors: [],
    warmUpAborted: 0,
    ledgerWrong: null,
    window: groupOf(),
    series: [],
    tags: new Map(),
    requests: allRequestsOf(),
    lateness: NO_SAMPLE,
    reported: NO_SAMPLE,
    reasons: {},
    contract: { answers: 0, confirmations: 0, rules: new Map() },
    dialects: new Set(),
    losses: [],
    probes: [],
    clockSteps: 0,
    journalErrors: 0,
    journalTrouble: null,
    notes: [],
    missingInputs: { names: [], more: 0, hasAccepted: false },
    timeline: NO_TIMELINE,
    strips: [],
    samples: [],
    ...seen,
  }
}

export function allRequestsOf(
  seen: Partial<Observations['requests']> = {},
): Observations['requests'] {
  const noPushback = { refusals: new Map(), causes: new Map(), admittedPerMinute: 0 }
  return {
    kickoff: requestsOf(),
    status: requestsOf(),
    pushback: {
      kickoff: noPushback,
      status: noPushback,
      waits: { answers: 0, kept: 0, early: 0, longestMicros: 0 },
      hints: { answers: 0, kept: 0, longestMicros: 0 },
      retryWait: NO_SAMPLE,
    },
    afterLoss: {
      everAnswered: true,
      lastUsableMicros: { kickoff: null, status: null },
      lastErrors: [],
      lost: [],
    },
    ...seen,
  }
}

const NO_TIMELINE: Observations['timeline'] = {
  intervalMicros: 1_000_000,
  offered: [],
  unresolved: [],
  accepted: [],
  ended: [],
  served: [],
  lastCompletedMicros: null,
  inFlight: [],
  statusAnswers: [],
  executions: [],
  kickoffs: [],
  errors: new Map(),
}
