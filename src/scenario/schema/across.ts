/** Mistakes that a single option cannot show: between options, and in the files they name. */
import { unreachable } from '../../base/assert.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { nearestName } from '../../base/mistakes.ts'
import { formatDuration } from '../../base/units.ts'
import { isRows } from '../author/inputs.ts'
import { parseMetric } from '../thresholds/metrics/index.ts'
import type { ScenarioFiles } from './files.ts'
import type { ParsedArrivals } from './arrivals.ts'
import type { ParsedScenario } from './scenario.ts'

export function checkAcross(
  scenario: ParsedScenario,
  files: ScenarioFiles,
  source: string,
): Mistake[] {
  const unplaced = [
    ...arrivalMistakes(scenario.arrivals, files),
    ...inputMistakes(scenario, files),
    ...checkNameMistakes(scenario),
  ]
  return unplaced.map((mistake) => Object.assign(mistake, { source }))
}

type Unplaced = Omit<Mistake, 'source'>

function arrivalMistakes(arrivals: ParsedArrivals, files: ScenarioFiles): Unplaced[] {
  const lastsMicros = lengthMicros(arrivals, files)
  const mistakes: Unplaced[] = []
  if (arrivals.kind === 'open' && arrivals.segments.every(isSilent)) {
    mistakes.push({ path: 'arrivals', problem: 'every rate is 0: nothing would ever be sent' })
  }
  if (arrivals.kind === 'replay' && (files.replayOffsetsMicros ?? []).length === 0) {
    const problem = 'no arrivals could be read from this journal'
    mistakes.push({ path: 'arrivals.replay', problem, found: JSON.stringify(arrivals.path) })
  }
  if (arrivals.warmUpMicros > 0 && arrivals.warmUpMicros >= lastsMicros) {
    const problem = `expected less than the length of the arrivals, ${formatDuration(lastsMicros)}`
    mistakes.push({
      path: 'arrivals.warmUp',
      problem,
      found: formatDuration(arrivals.warmUpMicros),
    })
  }
  return mistakes
}

function lengthMicros(arrivals: ParsedArrivals, files: ScenarioFiles): number {
  switch (arrivals.kind) {
    case 'open':
      return arrivals.segments.reduce((sum, { forMicros }) => sum + forMicros, 0)
    case 'closed':
      return arrivals.forMicros
    case 'replay':
      return files.replayOffsetsMicros?.at(-1) ?? Infinity
    default:
      return unreachable(arrivals)
  }
}

function isSilent({ from, to }: { from: { count: number }; to: { count: number } }): boolean {
  return from.count === 0 && to.count === 0
}

function inputMistakes({ inputs }: ParsedScenario, { rows = [] }: ScenarioFiles): Unplaced[] {
  if (isRows(inputs) && rows.length === 0) {
    const found = JSON.stringify(inputs.rows)
    return [{ path: 'inputs.rows', problem: 'no rows could be read from this file', found }]
  }
  return []
}

/** A threshold on `checks.<name>` needs a check of that name. */
function checkNameMistakes({ thresholds, checks }: ParsedScenario): Unplaced[] {
  const names = checks.map(({ name }) => name)
  return thresholds.flatMap(({ metric }) => {
    const reference = parseMetric(metric)
    if (reference?.kind !== 'check' || names.includes(reference.name)) return []
    const nearest = nearestName(reference.name, names)
    const problem = names.length === 0 ? 'the scenario has no checks' : 'no check of this name'
    const hint = nearest === undefined ? {} : { nearest: `checks.${nearest}` }
    return [{ path: `thresholds.${metric}`, problem, ...hint }]
  })
}
