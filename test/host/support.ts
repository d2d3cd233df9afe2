/**
 * A Node host against a hostile target, for the tests in this room; everything is closed after each
 * test.
 */
import { onTestFinished } from 'vitest'
import type { Answer } from '../../src/crew/answer.ts'
import type { CrewRequest } from '../../src/crew/crew-request.ts'
import { SendingBudget } from '../../src/engine/sending-budget.ts'
import type { NodeHost, NodeHostOptions } from '../../src/host/node/index.ts'
import { createNodeHost } from '../../src/host/node/index.ts'
import type { HttpPlan } from '../../src/scenario/plan.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'
import { completed, running, started } from '../hostile/acts.ts'
import type { Behaviour, HostileTarget } from '../hostile/server.ts'
import { startHostile } from '../hostile/server.ts'
import { TEST_HTTP } from '../support/plan.ts'

const PATIENCE_MICROS = 5_000 * MICROS_PER_MS

export async function hostileTarget(
  behaviour: Partial<Behaviour> = {},
  ...rest: Parameters<typeof startHostile> extends [unknown, ...infer Rest] ? Rest : never
): Promise<HostileTarget> {
  const target = await startHostile(
    { inputs: running(), kickoff: started, status: completed(), ...behaviour },
    ...rest,
  )
  onTestFinished(() => target.close())
  return target
}

export async function nodeHost(
  target: string,
  options: Partial<Omit<NodeHostOptions, 'http'>> & { http?: Partial<HttpPlan> } = {},
): Promise<NodeHost> {
  const host = await createNodeHost({
    target,
    tokens: ['secret-token'],
    emit: () => {},
    budget: new SendingBudget({ kickoffs: null, requests: null }),
    ...options,
    http: { ...TEST_HTTP, connectTimeoutMicros: PATIENCE_MICROS, ...options.http },
  })
  onTestFinished(() => host.close())
  return host
}

export function kickoff(execution = 0): CrewRequest {
  return {
    operation: 'kickoff',
    execution,
    method: 'POST',
    path: '/kickoff',
    body: '{"inputs":{}}',
    correlation: `run/${execution}`,
  }
}

export function status(execution = 0, id = 'some-id'): CrewRequest {
  return {
    operation: 'status',
    execution,
    method: 'GET',
    path: `/status/${id}`,
    body: null,
    correlation: `run/${execution}`,
  }
}

/** Long enough for any machine; a test that waits for a limit sets its own. */
export function send(host: NodeHost, request: CrewRequest, timeoutMs = 5_000): Promise<Answer> {
  const limits = { timeoutMicros: timeoutMs * MICROS_PER_MS, maxBytes: 1_048_576 }
  return new Promise((done) => host.send(request, limits, done))
}
