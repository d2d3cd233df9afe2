/**
 * A virtual host before a small crew, for the tests in this room: everything round, nothing left to
 * chance but what a test asks for.
 */
import { loadProfile } from '../../../fake-crew/profiles.ts'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import type { Answer } from '../../../src/crew/answer.ts'
import type { CrewRequest } from '../../../src/crew/crew-request.ts'
import { SendingBudget } from '../../../src/engine/sending-budget.ts'
import type { VirtualHost, VirtualHostOptions } from '../../../src/host/virtual/index.ts'
import { createVirtualHost } from '../../../src/host/virtual/index.ts'
import type { Network } from '../../../src/host/virtual/network.ts'
import { NETWORKS } from '../../../src/host/virtual/network.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { HttpPlan } from '../../../src/scenario/plan.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import { TEST_HTTP } from '../../support/plan.ts'

const TOKEN = 'org'

function constant(value: number): { kind: 'constant'; value: number } {
  return { kind: 'constant', value }
}

/** The round trip, half of it each way, and the set-up of a connection; in milliseconds. */
export function plainNetwork(
  roundTripMs: number,
  setUpMs = 0,
  changes: Partial<Network> = {},
): Network {
  const roundTrip = constant(roundTripMs * MICROS_PER_MS)
  return {
    ...NETWORKS.none,
    name: 'plain',
    roundTrip: { inputs: roundTrip, kickoff: roundTrip, status: roundTrip },
    setUp: constant(setUpMs * MICROS_PER_MS),
    ...changes,
  }
}

/** Executions of one second in one task, no latency, no failures. */
export function plainProfile(latencyMs = 0, changes: Partial<Profile> = {}): Profile {
  const own = loadProfile('fast')
  const latency = constant(latencyMs * MICROS_PER_MS)
  return {
    ...own,
    tasks: [{ ...own.tasks[0]!, duration: constant(1_000_000) }],
    http: { latency: { inputs: latency, kickoff: latency, status: latency }, pool: null },
    ...changes,
  }
}

export function virtualHost(
  options: Partial<Omit<VirtualHostOptions, 'http'>> & { http?: Partial<HttpPlan> } = {},
): VirtualHost {
  return createVirtualHost({
    profile: plainProfile(),
    crewTokens: { organization: TOKEN, user: 'user' },
    tokens: [TOKEN],
    random: createRandom(1),
    emit: () => {},
    budget: new SendingBudget({ kickoffs: null, requests: null }),
    network: plainNetwork(10),
    ...options,
    http: { ...TEST_HTTP, ...options.http },
  })
}

export function kickoff(execution = 0): CrewRequest {
  return {
    operation: 'kickoff',
    execution,
    method: 'POST',
    path: '/kickoff',
    body: '{"inputs":{"topic":"tides","audience":"sailors"}}',
    correlation: `run/${execution}`,
  }
}

export function status(id = 'unknown', execution = 0): CrewRequest {
  return {
    operation: 'status',
    execution,
    method: 'GET',
    path: `/status/${id}`,
    body: null,
    correlation: `run/${execution}`,
  }
}

/** Where the answer will be when it has come. */
export interface Box {
  answer: Answer | null
  answers: number
  cancel: () => void
}

export function send(
  host: VirtualHost,
  request: CrewRequest,
  { timeoutMs = 5_000, maxBytes = 1_048_576 } = {},
): Box {
  const box: Box = { answer: null, answers: 0, cancel: () => {} }
  const limits = { timeoutMicros: timeoutMs * MICROS_PER_MS, maxBytes }
  box.cancel = host.send(request, limits, (answer) => {
    box.answer = answer
    box.answers++
  })
  return box
}

/** Nothing is left to happen. */
export function settle(host: VirtualHost): void {
  if (host.advance(10_000_000)) throw new Error('still busy after 10 million events')
}

/** Sends and waits; the clock then stands where the answer came. */
export function ask(host: VirtualHost, request: CrewRequest, limits = {}): Answer {
  const box = send(host, request, limits)
  answered(host, [box])
  return box.answer!
}

/** Goes on until all have their answer, and no further. */
export function answered(host: VirtualHost, boxes: readonly Box[]): void {
  while (boxes.some(({ answer }) => answer === null)) {
    if (!host.advance(1)) throw new Error('nothing is left to happen, and an answer is missing')
  }
}
