/**
 * Which faults can be applied in front of a real target: each kind's definition says whether it
 * can.
 */
import { UserError } from '../../../src/base/mistakes.ts'
import type { Fault } from '../faults/fault.ts'
import { definitionOf } from '../faults/kinds/list.ts'

/** Throws UserError that names every fault that cannot. */
export function checkFit(faults: readonly Fault[]): void {
  const mistakes = faults.flatMap(({ name, what }, index) => {
    const problem = definitionOf(what).proxyProblem(what)
    if (problem === null) return []
    const path = `faults[${index}].${what.kind}`
    return [{ source: 'proxy', path, found: JSON.stringify(name), problem }]
  })
  if (mistakes.length > 0) throw new UserError(mistakes)
}
