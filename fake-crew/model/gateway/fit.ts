/** Which faults can be put in front of a target that is not modelled: those that need nothing but its requests and answers. */
import { unreachable } from '../../../src/base/assert.ts'
import { UserError } from '../../../src/base/mistakes.ts'
import type { Fault, FaultWhat } from '../faults/fault.ts'

/** Throws UserError, which names every fault that cannot. */
export function checkFit(faults: readonly Fault[]): void {
  const mistakes = faults.flatMap(({ name, what }, index) => {
    const problem = unfit(what)
    if (problem === null) return []
    const path = `faults[${index}].${what.kind}`
    return [{ source: 'proxy', path, found: JSON.stringify(name), problem }]
  })
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** Null for one that can. */
function unfit(what: FaultWhat): string | null {
  switch (what.kind) {
    case 'stuck':
    case 'backwards':
    case 'flip':
    case 'noResult':
    case 'swap':
      return "needs executions of the fake crew's own, which a proxy has not"
    case 'restart':
      return what.loses === 'none' ? null : 'expected loses: none; a proxy has no executions'
    case 'denied':
      return what.token === 'any' ? null : 'expected token: any; a proxy knows no tokens'
    case 'status':
    case 'latency':
    case 'reset':
    case 'empty':
    case 'truncate':
    case 'malformed':
    case 'contentType':
    case 'drip':
    case 'hang':
    case 'stall':
    case 'refuse':
    case 'closeIdle':
    case 'notFound':
    case 'neverStarts':
    case 'wrongId':
    case 'clockSkew':
      return null
    default:
      return unreachable(what)
  }
}
