/** `--engine node`, `virtual` or `k6`: which engine carries the load. */
import { nearestName, UserError } from '../base/mistakes.ts'
import type { Engine, EngineName } from './options.ts'

const ENGINES: Record<EngineName, true> = { node: true, virtual: true, k6: true }

/** Throws UserError when it names no engine. */
export function parseEngine(text: string): Engine {
  if (Object.hasOwn(ENGINES, text)) return { kind: text as EngineName }
  const known = Object.keys(ENGINES)
  const nearest = nearestName(text, known)
  throw new UserError({
    source: '--engine',
    path: '',
    found: JSON.stringify(text),
    problem: `expected one of ${known.join(', ')}`,
    ...(nearest === undefined ? {} : { nearest }),
  })
}
