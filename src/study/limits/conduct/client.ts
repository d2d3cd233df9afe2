/**
 * What sends the requests of a study of limits, over sockets or in virtual time, with one clock
 * for what is sent and what comes back.
 */
import { plannedPlace } from '../../../run/target/chosen-place.ts'
import type { CrewPlace } from '../../../execution/record/crew-place.ts'
import { env as processEnv } from 'node:process'
import { DueHeap } from '../../../base/collections/heap.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import { createRandom } from '../../../base/random.ts'
import type { Answer } from '../../../crew/answer.ts'
import type { CrewRequest } from '../../../crew/crew-request.ts'
import type { Host } from '../../../engine/host.ts'
import type { SendingBudget } from '../../../engine/sending-budget.ts'
import type { CrewEnd } from '../../../execution/record/reason.schema.ts'
import { cleanAnswer, secretsOf } from '../../../host/secrets.ts'
import { createNodeHost } from '../../../host/node/index.ts'
import { createVirtualHost } from '../../../host/virtual/index.ts'
import { version } from '../../../run/environment/package.ts'
import { pump, openSimulation } from '../../../run/simulation.ts'
import { askedCrew, openPlace } from '../../../run/target/open-place.ts'
import type { HttpPlan } from '../../../scenario/plan.ts'
import { planScenario } from '../../../scenario/schema/index.ts'
import { trialOptions } from '../../frame/conduct/conducting.ts'
import type { LimitsOptions } from '../options.ts'

export interface Client {
  /** Of the study: what is sent again with a renewed token counts too. */
  budget: SendingBudget
  target: URL
  /**
   * The profile of a fake crew; null for any other target. Ask for it when no more is measured: the
   * question takes a request, which a limit of the target may count.
   */
  crew(): Promise<CrewPlace>
  /** How many are dealt round by the index of an execution; at least 1. */
  tokens: number
  /** Wall clock of the zero of `nowMs`, in Unix milliseconds. */
  anchorUnixMs: number
  nowMs(): number
  /** Resolves at or after that time, or as soon as `signal` is aborted. */
  sleepUntil(ms: number, signal: AbortSignal): Promise<void>
  /**
   * The first request may have to wait until the target is awake, the others for as long as a
   * request may take, and none longer than `mostMs`.
   */
  ask(request: CrewRequest, mostMs?: number): Promise<Answer>
  /** Lets the time of a simulation pass until `work` is done. */
  conduct<T>(work: Promise<T>): Promise<T>
  /** Resolves when the fake crew that was started for the study ends by itself. */
  died: Promise<CrewEnd> | null
  close(): Promise<void>
}

/** The most requests of a burst: each has a connection of its own. */
const MOST_CONNECTIONS = 512
const VIRTUAL_TOKENS = { organization: 'virtual', user: 'virtual-user' }

interface Opening {
  options: LimitsOptions
  seed: number
  budget: SendingBudget
}

export async function openClient(engine: 'node' | 'virtual', opening: Opening): Promise<Client> {
  return engine === 'virtual' ? virtualClient(opening) : nodeClient(opening)
}

async function nodeClient({ options, seed, budget }: Opening): Promise<Client> {
  const { env = processEnv, headers = {}, tls = {}, tokenSource } = options.run
  const given = trialOptions(options, 'node')
  const place = await openPlace(given, { seed, speed: 1 }, env, 'unasked')
  try {
    const http = httpPlan(headers)
    const host = await createNodeHost({
      target: place.target,
      tokens: place.tokens,
      ...(place.isOwn || tokenSource === undefined ? {} : { tokenSource }),
      http,
      emit: () => {},
      budget,
      tls,
      proxies: env,
      userAgent: `crewload/${version()}`,
    })
    host.startClock()
    return {
      ...overHost(
        host,
        http,
        secretsOf(headers, () => tokenSource?.secrets ?? place.tokens),
      ),
      target: place.target,
      crew: async () => (place.isOwn ? place.crew : askedCrew(place.target, env)),
      tokens: Math.max(1, place.tokens.length),
      anchorUnixMs: host.anchorUnixMs,
      conduct: async (work) => work,
      died: place.died,
      close: async () => {
        await host.close()
        await place.close()
      },
    }
  } catch (error) {
    await place.close()
    throw error
  }
}

async function virtualClient({ options, seed, budget }: Opening): Promise<Client> {
  const given = trialOptions(options, 'virtual')
  const simulation = await openSimulation({ seed, speed: 1 }, given)
  const http = httpPlan({})
  const host = createVirtualHost({
    ...simulation,
    crewTokens: VIRTUAL_TOKENS,
    tokens: Object.values(VIRTUAL_TOKENS),
    http,
    random: createRandom(seed),
    emit: () => {},
    budget,
    userAgent: `crewload/${version()}`,
  })
  host.startClock()
  return {
    ...overHost(host, http, () => []),
    target: new URL('http://crew.virtual'),
    crew: async () => plannedPlace(given),
    tokens: 2,
    anchorUnixMs: host.anchorUnixMs,
    conduct: async (work) => pump(host, work, 1),
    died: null,
    close: async () => {},
  }
}

function httpPlan(headers: Readonly<Record<string, string>>): HttpPlan {
  const { http } = planScenario(
    { name: 'limits', arrivals: { clients: 1, iterations: 1 }, inputs: {} },
    { source: 'limits' },
  )
  return { ...http, maxConnections: MOST_CONNECTIONS, preOpenConnections: 1, headers }
}

function overHost(
  host: Host,
  http: HttpPlan,
  secrets: () => readonly string[],
): Pick<Client, 'budget' | 'nowMs' | 'sleepUntil' | 'ask'> {
  let timeoutMicros = http.firstCallTimeoutMicros
  return {
    budget: host.budget,
    nowMs: () => host.now() / MICROS_PER_MS,
    sleepUntil: sleeperOn(host),
    ask: async (request, mostMs = Infinity) =>
      new Promise((resolve) => {
        const micros = Math.min(timeoutMicros, mostMs * MICROS_PER_MS)
        timeoutMicros = http.requestTimeoutMicros
        host.send(request, { timeoutMicros: micros, maxBytes: http.maxBodyBytes }, (answer) =>
          resolve(cleanAnswer(answer, secrets())),
        )
      }),
  }
}

/** A host has one wake: this shares it among all who sleep. */
function sleeperOn(host: Host): Client['sleepUntil'] {
  const sleepers = new DueHeap<() => void>()
  const setWake = (): void => host.wakeAt(sleepers.size === 0 ? Infinity : sleepers.nextDue, wake)
  function wake(): void {
    while (sleepers.size > 0 && sleepers.nextDue <= host.now()) sleepers.pop()!()
    setWake()
  }
  return async (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const woken = (): void => {
        signal.removeEventListener('abort', woken)
        resolve()
      }
      signal.addEventListener('abort', woken, { once: true })
      if (ms === Infinity) return
      sleepers.push(Math.ceil(ms * MICROS_PER_MS), woken)
      setWake()
    })
}
