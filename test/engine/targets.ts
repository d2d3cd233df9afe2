/** Simulated targets for the engine's tests: one that behaves, and ways to misbehave. */
import type { CrewRequest } from '../../src/crew/crew-request.ts'
import type { Random } from '../../src/base/random.ts'
import type { Micros } from '../../src/base/units.ts'
import type { SimulatedReply, SimulatedTarget } from './simulated-host.ts'

export interface CrewBehaviour {
  /** From kickoff to end, by index of the execution. */
  durationMicros: Micros | ((index: number) => Micros)
  latencyMicros?: Micros
  fails?: (index: number) => boolean
}

/**
 * Answers as the interface says; its ids tell the execution: no state but when each was accepted.
 */
export function crew(behaviour: CrewBehaviour): SimulatedTarget {
  const { durationMicros, latencyMicros = 1_000, fails = () => false } = behaviour
  const ends: Micros[] = []
  return ({ operation, execution }, nowMicros) => {
    if (operation === 'kickoff') {
      const duration =
        typeof durationMicros === 'number' ? durationMicros : durationMicros(execution)
      ends[execution] = nowMicros + duration
      return json(200, `{"kickoff_id":"${idOf(execution)}"}`, latencyMicros)
    }
    if (nowMicros < ends[execution]!) return json(200, RUNNING, latencyMicros)
    return json(200, fails(execution) ? FAILED : COMPLETED, latencyMicros)
  }
}

/** Answers by chance, mostly badly; still a function of its stream alone. */
export function hostile(random: Random): SimulatedTarget {
  return (request) => {
    const afterMicros = random.int(3_000_000)
    return random.pick(MISCHIEF)(request, afterMicros)
  }
}

export const silent: SimulatedTarget = () => ({ kind: 'silence' })

export function refusing(afterMicros: Micros = 200): SimulatedTarget {
  return () => ({ kind: 'failure', afterMicros, class: 'refused', written: false })
}

/** Starts nothing, and says so. */
export const busy: SimulatedTarget = () => json(503, '{"error":"busy","message":"later"}', 1_000)

export function json(status: number, body: string, afterMicros: Micros): SimulatedReply {
  return { kind: 'reply', status, body, afterMicros }
}

export const RUNNING =
  '{"status":"running","current_task":"research","progress":{"completed_tasks":0,"total_tasks":1}}'
export const COMPLETED =
  '{"status":"completed","result":{"output":"done","tasks":[{"task_id":"research","output":"done","agent":"a","execution_time":1}]},"execution_time":1}'
export const FAILED = '{"status":"error","error":"no luck","execution_time":1}'

function idOf(execution: number): string {
  return `00000000-0000-4000-8000-${execution.toString(16).padStart(12, '0')}`
}

type Mischief = (request: CrewRequest, afterMicros: Micros) => SimulatedReply

const MISCHIEF: readonly Mischief[] = [
  ({ execution }, after) => json(200, `{"kickoff_id":"${idOf(execution)}"}`, after),
  ({ execution }, after) => json(200, `{"kickoff_id":"${idOf(execution)}"}`, after),
  (_, after) => json(200, RUNNING, after),
  (_, after) => json(200, COMPLETED, after),
  (_, after) => json(200, FAILED, after),
  (_, after) => json(200, '{"state":"PAUSED"}', after),
  (_, after) => json(200, '<html>', after),
  (_, after) => json(401, '{"error":"Unauthorized","message":"no"}', after),
  (_, after) => json(404, '{"error":"Not found","message":"no"}', after),
  (_, after) => json(429, '', after),
  (_, after) => json(500, 'oops', after),
  (_, after) => json(503, '{"error":"busy","message":"later"}', after),
  (_, after) => ({ kind: 'failure', afterMicros: after, class: 'refused', written: false }),
  (_, after) => ({ kind: 'failure', afterMicros: after, class: 'reset', written: true }),
  (_, after) => ({ kind: 'failure', afterMicros: after, class: 'truncated', written: true }),
  () => ({ kind: 'silence' }),
]
