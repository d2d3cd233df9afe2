/**
 * The k6 for tests: without one they are skipped with a message, or fail when nothing may be
 * skipped.
 */
import type { K6Binary } from '../../../src/run/k6/binary.ts'
import { K6_REMEDY, searchK6 } from '../../../src/run/k6/binary.ts'
import type { Engine } from '../../../src/run/options.ts'

/**
 * Null means skip (`describe.skipIf`). `tests` describes what is skipped. Throws with
 * `CREWLOAD_CI=1`.
 */
export async function k6OrSkip(tests: string): Promise<K6Binary | null> {
  const search = await searchK6(process.env)
  if (search.kind === 'found') return search.binary
  const why = `${search.problem}; ${K6_REMEDY}`
  if (process.env['CREWLOAD_CI'] === '1') throw new Error(`CREWLOAD_CI=1 needs k6: ${why}`)
  process.stderr.write(`SKIPPED ${tests}: ${why}\n`)
  return null
}

/** Node, and k6 where there is one. `tests` describes what is skipped. Throws with `CREWLOAD_CI=1`. */
export async function enginesThatSend(tests: string): Promise<Engine[]> {
  const k6 = await k6OrSkip(`${tests} in k6`)
  return [{ kind: 'node' }, ...(k6 === null ? [] : [{ kind: 'k6' } as const])]
}
