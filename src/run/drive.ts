/** One engine over its host, as the load that a run conducts. */
import { createEngine } from '../engine/engine.ts'
import type { Host } from '../engine/host.ts'
import type { ExecutionRecord } from '../execution/record.ts'
import type { Plan } from '../scenario/plan.ts'
import type { ConductOptions, Load } from './conduct.ts'
import { conduct } from './conduct.ts'

export interface DriveOptions extends ConductOptions, EngineLoadOptions {}

export interface EngineLoadOptions {
  runId: string
  /** By the preflight. */
  requestsSpent: number
  /** Called when everything is set up, right before the engine starts: sets the zero of the clock. */
  begin: () => void
  onEnded?: ((record: ExecutionRecord) => void) | undefined
}

/** Resolves after the engine's `finished` line. */
export async function drive(plan: Plan, host: Host, options: DriveOptions): Promise<void> {
  await conduct(plan, engineLoad(plan, host, options), options)
}

/** Resolves its `ended` after the engine's `finished` line. */
export function engineLoad(plan: Plan, host: Host, options: EngineLoadOptions): Load {
  const { runId, requestsSpent, begin, onEnded } = options
  let tellEnded: () => void
  const ended = new Promise<void>((resolve) => {
    tellEnded = resolve
  })
  const engine = createEngine(plan, host, {
    runId,
    instance: 0,
    instances: 1,
    requestsSpent,
    ...(onEnded === undefined ? {} : { onEnded }),
    onDone: () => tellEnded(),
  })
  return {
    now: () => host.now(),
    stats: () => engine.stats(),
    begin: () => {
      begin()
      engine.start()
    },
    stop: (how, reason) => engine.stop(how, reason),
    ended,
  }
}
