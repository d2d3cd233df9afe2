/** The virtual body: one engine in virtual time, with the fake crew's model in this very process. */
import { loadProfile } from '../../../fake-crew/profiles.ts'
import type { Ledger } from '../../analysis/reconcile.ts'
import { assert } from '../../assert.ts'
import { ownBudget } from '../../host/budget.ts'
import type { Network, VirtualHost } from '../../host/virtual/index.ts'
import {
  createVirtualHost,
  DEFAULT_NETWORK_NAME,
  describeNetwork,
} from '../../host/virtual/index.ts'
import { createRandom, hashText } from '../../random.ts'
import { describePlan, planHash } from '../../scenario/describe.ts'
import type { Plan } from '../../scenario/plan.ts'
import { conduct } from '../conduct.ts'
import type { Desk } from '../desk.ts'
import { engineLoad } from '../drive.ts'
import { earlyAbort } from '../early-abort.ts'
import { openNetwork } from '../network.ts'
import type { RunOptions } from '../options.ts'
import { placeWords } from '../place.ts'
import { preflight } from '../preflight.ts'
import { runLine } from '../run-line.ts'
import { version } from '../version.ts'
import type { Body, Carried } from './body.ts'

/** Nobody else can reach this crew: there is nothing to guard. */
const TOKENS = { organization: 'virtual', user: 'virtual-user' }
/** For the words of a refusal alone. */
const NOWHERE = new URL('http://crew.virtual')
/** What happens between two looks at the outside world, Ctrl-C and the progress: some 50 ms of a core. */
const EVENTS_A_SLICE = 10_000

export async function openVirtualBody(plan: Plan, options: RunOptions): Promise<Body> {
  const network = await openNetwork(options.network ?? DEFAULT_NETWORK_NAME)
  return new VirtualBody(plan, options, network)
}

/** Whatever is random, timed or counted in here comes from plan, profile, network and seed: they give the same lines to the byte. */
class VirtualBody implements Body {
  readonly runId: string
  readonly profile: string | null
  readonly hasLedger = true
  readonly #plan: Plan
  readonly #options: RunOptions
  readonly #network: Network

  constructor(plan: Plan, options: RunOptions, network: Network) {
    this.#plan = plan
    this.#options = options
    this.#network = network
    this.profile = placeWords(options).profile
    this.runId = runIdOf(plan, options, network)
  }

  async carry(desk: Desk): Promise<Carried> {
    const host = this.#host(desk)
    await this.#preflight(host)
    await this.#measure(host, desk)
    return { ledger: ledgerOf(host), abandoned: [] }
  }

  async close(): Promise<void> {}

  #host(desk: Desk): VirtualHost {
    const { profile = '', dialect } = this.#options
    const { http, budget, seed, speed } = this.#plan
    const own = loadProfile(profile)
    return createVirtualHost({
      profile: { ...own, seed, speed: speed * own.speed, dialect: dialect ?? own.dialect },
      crewTokens: TOKENS,
      tokens: [TOKENS.organization],
      http,
      network: this.#network,
      random: createRandom(seed),
      emit: (line) => desk.keep(line),
      budget: ownBudget(budget),
      userAgent: `crewload/${version()}`,
      onAnswer: (operation, answer) => desk.meters.answered(operation, answer),
    })
  }

  async #preflight(host: VirtualHost): Promise<void> {
    const place = { target: NOWHERE, tokens: [TOKENS.organization] }
    const { onNote } = this.#options
    await pump(host, preflight(host, this.#plan, place, this.runId, onNote), 1)
  }

  async #measure(host: VirtualHost, desk: Desk): Promise<void> {
    const { signal, onStart, onProgress } = this.#options
    const load = engineLoad(this.#plan, host, {
      runId: this.runId,
      begin: () => {
        host.startClock()
        host.emit(this.#runLine(host))
      },
    })
    const { target } = placeWords(this.#options)
    const conducted = conduct(this.#plan, load, {
      target,
      profile: this.profile,
      meters: desk.meters,
      died: null,
      signal,
      onStart,
      onProgress,
      abortReason: () => null,
    })
    // Asked after so many events, not after so much time of the machine: that would be another run each time.
    const abortReason = earlyAbort(this.#plan, desk.recorder)
    await pump(host, conducted, EVENTS_A_SLICE, () => {
      const reason = abortReason()
      if (reason !== null) load.stop('drain', reason)
    })
  }

  #runLine({ anchorUnixMs }: VirtualHost): ReturnType<typeof runLine> {
    const { target } = placeWords(this.#options)
    const network = describeNetwork(this.#network)
    const instance = { instance: 0, instances: 1 }
    const origin = { engine: 'virtual', network, ...instance, target, anchorUnixMs } as const
    return runLine(this.#plan, { runId: this.runId, ...origin })
  }
}

/** Lets virtual time pass until `waitedFor` has come about, and the machine breathe after every slice. */
async function pump<T>(
  host: VirtualHost,
  waitedFor: Promise<T>,
  eventsASlice: number,
  afterSlice?: () => void,
): Promise<T> {
  const come = new AbortController()
  const watched = waitedFor.finally(() => come.abort())
  watched.catch(() => {})
  await breath()
  while (!come.signal.aborted) {
    const more = host.advance(eventsASlice)
    afterSlice?.()
    await breath()
    assert(more || come.signal.aborted, 'the run waits for something that cannot happen')
  }
  return watched
}

async function breath(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** The crew's clock is the run's, but for the time before its zero: nothing has to be sampled, and nothing can be wrong. */
function ledgerOf(host: VirtualHost): Ledger {
  const offsetMicros = host.crewOffsetMicros
  const clock = {
    offsetMicros,
    anchorUnixMs: null,
    errorMicros: 0,
    leastRoundTripMicros: 0,
    samples: 1,
  }
  return { rows: [...host.ledger()], clock }
}

/** Eight hex digits of everything that makes the run what it is. */
function runIdOf(plan: Plan, { profile, dialect }: RunOptions, network: Network): string {
  const made = [planHash(describePlan(plan)), profile, dialect, network]
  return hashText(JSON.stringify(made)).toString(16).padStart(8, '0')
}
