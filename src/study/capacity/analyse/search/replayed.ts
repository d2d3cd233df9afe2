/** Confirms a model by past runs: replays their arrivals in the simulation. */
import type { Confirmation, ConfirmTerms } from '../confirm/confirm.ts'
import { agrees, confirm } from '../confirm/confirm.ts'
import type { Learned } from '../learn/learn.ts'
import type { Recorded } from '../learn/recorded.ts'
import { mostInCrew } from '../learn/recorded.ts'
import type { Estimate } from './estimate.ts'

export interface Replayed {
  recorded: Recorded
  confirmation: Confirmation
}

/** Runs with fewer executions, or fewer that waited for a worker, show nothing about a queue. */
const FEWEST = { executions: 50, waited: 20 }

/**
 * Confirms by a run of open arrivals: one that disagrees, or else the one in which most executions
 * waited. Null if no run is suitable: the crew must have held as many executions at once as it
 * would on average at the capacity; otherwise the simulation would be trusted beyond what was
 * observed.
 */
export function confirmByRuns(
  recorded: readonly Recorded[],
  learned: Learned,
  { solution, system }: Estimate,
  { within, random }: ConfirmTerms,
): Replayed | null {
  const inFlight = solution.kind === 'rate' ? solution.inFlight : Infinity
  const telling = recorded
    .map((each, i) => ({ recorded: each, facts: learned.loads[i]!, random: random.fork('run', i) }))
    .filter(({ recorded: { isOpen }, facts }) => {
      const isEnough =
        facts.seen.executions.length >= FEWEST.executions && facts.waited >= FEWEST.waited
      return isOpen && isEnough && mostInCrew(facts.seen) >= inFlight
    })
    .toSorted((a, b) => b.facts.waited - a.facts.waited)
  const replayed = telling.map(({ recorded: each, facts, random: own }) => ({
    recorded: each,
    confirmation: confirm({ facts, present: 0 }, learned, system, { within, random: own }),
  }))
  return replayed.find(({ confirmation }) => !agrees(confirmation)) ?? replayed[0] ?? null
}
