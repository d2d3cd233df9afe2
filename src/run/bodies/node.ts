/** The Node body: one engine over connections of its own in this process. */
import { env as processEnv } from 'node:process'
import { UserError } from '../../base/mistakes.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { NodeHost } from '../../host/node/index.ts'
import { RunClock } from '../../host/node/index.ts'
import { tracesOf } from '../../host/telemetry/open.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import type { Body } from './body.ts'
import { engineLoad } from '../drive.ts'
import { earlyAbort } from '../early-abort.ts'
import type { RunOptions } from '../options.ts'
import type { Measuring, Sending } from './sending.ts'
import { SendingBody } from './sending.ts'
import { runLine } from './body.ts'
import type { OpenPlace } from '../target/open-place.ts'
import { openPlace } from '../target/open-place.ts'
import type { OpenedMix, PreparedPart, Together } from './together.ts'

export async function openNodeBody(plan: Plan, options: RunOptions): Promise<Body> {
  const place = await openPlace(options, plan, options.env ?? processEnv)
  return nodeBody({ place, plan, options })
}

function nodeBody(sending: Sending, clock?: SharedClock): Body {
  return new SendingBody(sending, {
    host: (lineSink) => ({
      traces: tracesOf(sending.options),
      onAnswer: (operation, answer) => lineSink.answered(operation, answer),
      ...(clock === undefined ? {} : { clock: clock.clock }),
    }),
    measure: async (measuring) => measure(measuring, clock),
  })
}

/** The clock of all parts of a mix, which the first to begin sets. */
interface SharedClock {
  clock: RunClock
  leadMicros: Micros
  isSet: boolean
}

/**
 * A body for each part, in their order. Parts at one address share it, as they share a fake crew
 * that is started for the mix; the first of them adds the faults.
 */
export async function openNodeMix(
  parts: readonly PreparedPart[],
  crew: Pick<Plan, 'seed' | 'speed'>,
  together: Together,
): Promise<OpenedMix> {
  const places = new Map<string | undefined, OpenPlace>()
  const leadMicros = parts.length * LEAD_MICROS
  const clock = { clock: new RunClock(), leadMicros, isSet: false }
  const close = async (): Promise<void> => {
    for (const place of places.values()) await place.close()
  }
  const opened = async ({ plan, options, hasOwnToken }: PreparedPart): Promise<Body> => {
    const { target } = options
    const isFirst = !places.has(target)
    if (isFirst) places.set(target, await openPlace(options, crew, options.env ?? processEnv))
    const place = places.get(target)!
    const { faults, ...others } = options
    const tokens = place.isOwn && !hasOwnToken ? place.tokens : (options.tokens ?? [])
    const own = isFirst && faults !== undefined ? { ...others, faults } : others
    const borrowed = { ...place, tokens, close: async () => {} }
    return nodeBody({ place: borrowed, plan, options: own, together }, clock)
  }
  try {
    const bodies: Body[] = []
    for (const part of parts) bodies.push(await opened(part))
    const targets = [...places.keys()]
    return { bodies, crews: parts.map(({ options }) => targets.indexOf(options.target)), close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Setting up the engine and writing the first line take a moment. The clock's zero is set after
 * them, so the first arrivals are on time.
 */
const LEAD_MICROS = 50 * MICROS_PER_MS

/** Measures from the zero of the run's clock until the ledger is fetched. */
async function measure(measuring: Measuring, shared?: SharedClock): Promise<Ledger | null> {
  const { place, plan, host, runId, missingInputs, lineSink, clocks } = measuring
  const takeBack = await addFaults(measuring)
  const load = engineLoad(plan, host, {
    runId,
    missingInputs,
    begin: () => {
      startClock(host, shared)
      clocks?.started(host)
      const { anchorUnixMs } = host
      const instance = { instance: 0, instances: 1, place: place.crew }
      host.emit(runLine(plan, { runId, engine: 'node', ...instance, anchorUnixMs }))
    },
  })
  await measuring.drive(load, earlyAbort(plan, lineSink.recorder))
  const ledger = await measuring.ledger()
  await takeBack()
  return ledger
}

function startClock(host: NodeHost, shared: SharedClock | undefined): void {
  if (shared?.isSet === true) return host.joinClock()
  host.startClock(shared?.leadMicros ?? LEAD_MICROS)
  if (shared !== undefined) shared.isSet = true
}

/** Adds the faults right before the zero, which follows within 100 ms. */
async function addFaults({ place: { fake }, options }: Measuring): Promise<() => Promise<void>> {
  const { faults } = options
  if (faults === undefined) return async () => {}
  if (fake !== null) return fake.addFaults(faults)
  const problem = 'faults need a fake crew, and the target is not one'
  throw new UserError({ source: 'faults', problem })
}
