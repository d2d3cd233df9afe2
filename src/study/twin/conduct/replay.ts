/** Replays the arrivals of past runs on a twin, in virtual time. */
import { preparePlan } from '../../../run/plan/prepare.ts'
import type { RunOptions } from '../../../run/options.ts'
import type { Plan } from '../../../scenario/plan.ts'
import { carryRun } from '../../../run/carry.ts'
import { RunReader } from '../../frame/executions/reader.ts'
import type { SeenRun } from '../analyse/seen.ts'
import { MOST_EXECUTIONS, seenIn } from '../analyse/seen.ts'
import type { PastRun } from './runs.ts'

/**
 * Replays a run on the twin with the polling, the retries and the deadline of that run, and
 * observes it in the same way.
 */
export async function replayed(past: PastRun, profile: string, seed: number): Promise<SeenRun> {
  const { seen } = past
  const { speed } = seen
  const options: RunOptions = { profile, engine: 'virtual', seed, speed, out: false }
  const scenario = { name: 'replay', arrivals: { rate: '1/s', for: '1s' }, inputs: {} }
  const plan = await preparePlan(scenario, options)
  const reader = new RunReader(MOST_EXECUTIONS)
  const { ledger } = await carryRun(
    {
      scenario,
      plan,
      changes: changesOf(past, plan),
      options,
      onLine: (line) => reader.saw(line),
    },
    null,
  )
  return seenIn(reader, seen.truth === 'ledger' ? ledger : null)
}

/**
 * The changes of the plan. Clients of a closed load are not replayed by time, since they come back
 * as soon as the twin lets them.
 */
function changesOf({ plan, offsetsMicros, seen }: PastRun, base: Plan): Partial<Plan> {
  const { arrivals } = plan
  const first = Math.min(0, ...offsetsMicros)
  return {
    arrivals:
      arrivals?.kind === 'closed'
        ? { ...arrivals, iterations: seen.executions.length }
        : { kind: 'replay', offsetsMicros: offsetsMicros.map((at) => at - first) },
    polling: plan.polling ?? base.polling,
    retry: plan.retry ?? base.retry,
    honourRetryAfter: plan.honourRetryAfter ?? base.honourRetryAfter,
    deadlineMicros: plan.deadlineMicros ?? base.deadlineMicros,
    human: plan.human ?? base.human,
    notFoundGraceMicros: plan.notFoundGraceMicros ?? base.notFoundGraceMicros,
    warmUpMicros: 0,
    ...(plan.paths === undefined ? {} : { paths: plan.paths }),
    admission: { maxInFlight: null, whenFull: 'queue' },
    confirmShare: 0,
    thresholds: [],
    circuit: null,
    budget: { kickoffs: null, requests: null, wallMicros: null },
  }
}
