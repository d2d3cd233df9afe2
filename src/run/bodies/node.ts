/** The Node body: one engine over connections of its own in this process. */
import { env as processEnv } from 'node:process'
import { UserError } from '../../base/mistakes.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { tracesOf } from '../../host/telemetry/open.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import type { Body } from '../body.ts'
import { engineLoad } from '../drive.ts'
import { earlyAbort } from '../early-abort.ts'
import type { RunOptions } from '../options.ts'
import type { Measuring } from '../place-body.ts'
import { PlaceBody } from '../place-body.ts'
import { runLine } from '../body.ts'
import { openPlace } from '../target/place.ts'
import { requestsOfPreflight } from '../target/preflight.ts'

export async function openNodeBody(plan: Plan, options: RunOptions): Promise<Body> {
  const place = await openPlace(options, plan, options.env ?? processEnv)
  return new PlaceBody(
    { place, plan, options },
    {
      host: (lineSink) => ({
        traces: tracesOf(options),
        onAnswer: (operation, answer) => lineSink.answered(operation, answer),
      }),
      measure,
    },
  )
}

/**
 * Setting up the engine and writing the first line take a moment. The clock's zero is set after
 * them, so the first arrivals are on time.
 */
const LEAD_MICROS = 50 * MICROS_PER_MS

/** Measures from the zero of the run's clock until the ledger is fetched. */
async function measure(measuring: Measuring): Promise<Ledger | null> {
  const { place, plan, host, runId, missingInputs, lineSink, clocks } = measuring
  const takeBack = await addFaults(measuring)
  const load = engineLoad(plan, host, {
    runId,
    requestsSpent: requestsOfPreflight(place),
    missingInputs,
    begin: () => {
      host.startClock(LEAD_MICROS)
      clocks?.started(host)
      const { anchorUnixMs } = host
      const target = place.target.href
      const instance = { instance: 0, instances: 1, ownCrew: place.isOwn }
      host.emit(runLine(plan, { runId, engine: 'node', ...instance, target, anchorUnixMs }))
    },
  })
  await measuring.drive(load, earlyAbort(plan, lineSink.recorder))
  const ledger = await measuring.ledger()
  await takeBack()
  return ledger
}

/** Adds the faults right before the zero, which follows within 100 ms. */
async function addFaults({ place: { fake }, options }: Measuring): Promise<() => Promise<void>> {
  const { faults } = options
  if (faults === undefined) return async () => {}
  if (fake !== null) return fake.addFaults(faults)
  const problem = 'faults need a fake crew, and the target is not one'
  throw new UserError({ source: 'faults', path: '', problem })
}
