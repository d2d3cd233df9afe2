/** The loads that make a crew scale, and what an open load shows once it has. */
import { sumBy } from '../../../result/statistics/moments.ts'
import type { Micros } from '../../../base/units.ts'
import { Occupancy } from '../../../result/statistics/occupancy.ts'
import type { Learned } from './learn/learn.ts'
import { busyInMean } from './learn/learn.ts'
import type { AppliedLoad, LoadFacts } from './seen.ts'
import type { Scaling } from './scaling/scaling.ts'
import { CROWDED } from './scaling/scaling.ts'

/** Executions that come first, so that the crew grows to its full number of workers. */
export interface Waking {
  executions: number
  micros: Micros
}

/** What keeps executions waiting until the crew has grown. */
export function wakingOf({ steps, to }: Scaling, serviceMicros: Micros): Waking {
  const micros = sumBy(steps, (step) => step.micros)
  const ended = sumBy(steps, (step) => (step.atWork * step.micros) / serviceMicros)
  return { executions: Math.ceil(ended) + to, micros }
}

/** Twice as many clients as workers that were seen: more workers still leave some waiting. */
const CLIENTS = 2
/** The growth that the next load has room for. */
const GROWTH = 1.5
/** How many of the longest steps the crew is held at its highest number, and of service times. */
const HELD = { steps: 3, services: 4 }
/** The most loads that follow the growth. */
const MOST_FOLLOWING = 12

/**
 * A growth that a load on a crew that lives on could not show, since nearly all of its clients were
 * at work. Null if it could.
 */
export function unshownGrowth(
  facts: LoadFacts,
  { slots, hidden, queueLimit }: Learned,
): Scaling | null {
  const { load, lasts } = facts.seen
  if (load.kind !== 'closed' || lasts !== true || slots === null) return null
  // The limit of a queue leaves no room for more clients.
  if (hidden !== null || queueLimit !== null) return null
  const isShown = load.clients >= CROWDED * busyInMean(facts)
  return isShown ? null : { from: slots, to: slots, steps: [], stands: false }
}

/**
 * The next load that is held until the number of workers stands. Null if it stands, or if the
 * budget or the limit of clients does not allow one. `followed`: the clients of those before, and
 * `atWork`: how many executions were at work in the last one.
 */
export function followingLoad(
  { from, to, steps, stands }: Scaling,
  serviceMicros: Micros,
  {
    left,
    mostClients,
    followed,
    atWork,
  }: { left: number; mostClients: number; followed: readonly number[]; atWork: number },
): Extract<AppliedLoad, { kind: 'closed' }> | null {
  const known = Math.max(to, atWork)
  const clients = Math.min(mostClients, CLIENTS * known)
  const isMore = clients > (steps.length === 0 ? followed.at(-1)! : known)
  if (stands || !isMore || followed.length >= MOST_FOLLOWING) return null
  const longest = Math.max(0, ...steps.map(({ micros }) => micros))
  const next = Math.ceil(GROWTH * known)
  // Each number between the first and the next lasts for a step, and the last one for longer.
  const growing = ((longest / serviceMicros) * ((next - from) * (next + from))) / 2
  const held = next * Math.max(HELD.services, (HELD.steps * longest) / serviceMicros)
  const again = followed.filter((each) => each === clients).length
  const executions = Math.min(left, Math.ceil((growing + held) * 2 ** again) + clients)
  return executions < 2 * clients ? null : { kind: 'closed', clients, executions }
}

/** An open load, which begins with executions that wake the crew. */
export function wakenLoad(
  load: Extract<AppliedLoad, { kind: 'open' }>,
  waking: Waking | null,
): Extract<AppliedLoad, { kind: 'open' }> {
  if (waking === null) return load
  return { ...load, executions: load.executions + waking.executions, waking }
}

/** What a load showed once the crew had grown and caught up. */
export interface Woken {
  facts: LoadFacts
  /** Executions that were at work then; they are the first, and count from then on. */
  present: number
}

/** All of it, if the load woke nothing or the crew never caught up. */
export function onceWoken(facts: LoadFacts): Woken {
  const { seen, ran } = facts
  const { load, executions } = seen
  const waking = load.kind === 'open' ? load.waking : undefined
  const regular = executions[waking?.executions ?? 0]
  if (waking === undefined || regular === undefined) return { facts, present: 0 }
  const at = firstWithoutWaits(facts, regular.accepted ?? regular.intended)
  if (at === null) return { facts, present: 0 }
  const atWork = ran.filter(({ started, ended }) => started <= at && at < ended)
  const present = atWork.map((each) => Object.assign({}, each, { accepted: at, started: at }))
  const later = executions.filter(({ accepted, intended }) => (accepted ?? intended) > at)
  const own = { ...load, executions: executions.length - waking.executions }
  return {
    facts: {
      ...facts,
      seen: { ...seen, load: own, executions: later },
      ran: [...present, ...ran.filter(({ accepted }) => accepted > at)],
    },
    present: present.length,
  }
}

/** Ends of waits are the only times at which the last one may cease to wait. */
function firstWithoutWaits({ ran }: LoadFacts, from: Micros): Micros | null {
  const waiting = new Occupancy(ran.map(({ accepted, started }) => [accepted, started]))
  if (waiting.at(from) === 0) return from
  const ends = ran.map(({ started }) => started).filter((started) => started > from)
  return ends.toSorted((a, b) => a - b).find((end) => waiting.at(end) === 0) ?? null
}
