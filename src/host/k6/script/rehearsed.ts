/**
 * Tries the author's functions in k6's init context: if its JavaScript engine lacks something, the
 * script ends before anything is sent.
 */
import type { Plan } from '../../../scenario/plan.ts'
import type { Rehearsal } from '../../../scenario/author/rehearsal.ts'
import { rehearse } from '../../../scenario/author/rehearsal.ts'
import type { World } from '../world.ts'

/** Once per process. Throws an Error that names each function that fails, and what is missing. */
export function demandRehearsed(
  world: Pick<World, 'isFirstReading'>,
  plan: Plan,
  { rehearsed }: { rehearsed: Rehearsal['answered'] },
): void {
  if (!world.isFirstReading()) return
  const { mistakes } = rehearse(plan, rehearsed)
  if (mistakes.length === 0) return
  const told = mistakes.map(({ part, message }) => `${part}: ${message}${lack(message)}`)
  throw new Error(`the scenario does not work in k6: ${told.join('; ')}`)
}

const UNDEFINED = /^ReferenceError: (\w+) is not defined/
/** goja's message for a missing method. */
const NO_MEMBER = /^TypeError: Object has no member '(\w+)'/

function lack(message: string): string {
  const [, missing] = UNDEFINED.exec(message) ?? NO_MEMBER.exec(message) ?? []
  return missing === undefined ? '' : `: k6's JavaScript engine has no ${missing}`
}
