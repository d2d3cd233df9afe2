/** Observations of runs that never were: all that nobody sets is empty. */
import { Histogram } from '../../src/result/counting/histogram.ts'
import type { ArrivalBin } from '../../src/result/counting/tallies/arrival-series.ts'
import { WindowTally } from '../../src/result/counting/tallies/window.ts'
import { PushbackTally, RequestTally } from '../../src/result/counting/tallies/request-tally.ts'
import { TimelineRecorder } from '../../src/result/counting/tallies/timeline.ts'
import { contractResult } from '../../src/result/metrics/contract.ts'
import type { Observations } from '../../src/result/observations.ts'
import { pushbackResult } from '../../src/result/refusals.ts'
import type { RunFinding } from '../../src/result/sentences/findings.ts'
import type { FindingSources } from '../../src/result/verdict/finding-rules.ts'
import { makeFindings } from '../../src/result/verdict/finding-rules.ts'
import type { Outcome } from '../../src/execution/record/record.ts'
import { runLine } from './lines.ts'
import { exactSample } from './samples.ts'

const noSample = () => exactSample([])

export function outcomesOf(seen: Partial<Record<Outcome, number>>): Record<Outcome, number> {
  return { ...new WindowTally(noSample).outcomes, ...seen }
}

export function groupOf(seen: Partial<WindowTally> = {}): WindowTally {
  return new WindowTally(noSample).with(seen)
}

export function requestsOf(seen: Partial<RequestTally> = {}): RequestTally {
  return Object.assign(new RequestTally(noSample), seen)
}

export function binOf(group: WindowTally): ArrivalBin {
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
    warmUpOutcomes: {},
    scenarioErrors: [],
    ledgerWrong: null,
    people: null,
    pushes: null,
    window: groupOf(),
    series: [],
    tags: new Map(),
    requests: allRequestsOf(),
    lateness: noSample(),
    reported: new Histogram(),
    isPriced: false,
    usage: { parts: groupOf().usage.parts, models: new Set(), unpriced: new Map() },
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
    timeline: new TimelineRecorder().snapshot([]),
    strips: [],
    samples: [],
    ...seen,
  }
}

export function allRequestsOf(
  seen: Partial<Observations['requests']> = {},
): Observations['requests'] {
  return {
    kickoff: requestsOf(),
    status: requestsOf(),
    pushback: new PushbackTally(),
    afterLoss: {
      everAnswered: true,
      lastUsableMicros: { kickoff: null, status: null },
      lastErrors: [],
      lost: [],
    },
    ...seen,
  }
}

/** What is found in a run of which nothing else is known. */
export function findingsIn(seen: Partial<FindingSources>): RunFinding[] {
  const { observations = observationsOf() } = seen
  return makeFindings({
    run: { place: { kind: 'deployment', target: 'http://127.0.0.1:1' } },
    observations,
    plan: runLine().plan,
    contract: contractResult(observations),
    pushback: pushbackResult(observations),
    ledger: null,
    recoveries: [],
    inDoubt: [],
    load: null,
    waits: null,
    ...seen,
  })
}
