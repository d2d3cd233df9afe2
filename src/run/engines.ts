/** `--engine node`, `node:2`, `virtual` or `k6`: which engine carries the load. */
import { nearestName, UserError } from '../base/mistakes.ts'
import type { Engine, EngineName } from './options.ts'

/** What may follow an engine's colon; null for what the engine does not understand. */
interface Grammar {
  help: string
  read: (qualifier: string) => Engine | null
}

const ENGINES: Record<EngineName, Grammar> = {
  node: { help: 'expected node, or node:N with N workers', read: readWorkers },
  virtual: { help: 'expected virtual', read: () => null },
  k6: { help: 'expected k6', read: () => null },
}

/** The run decides how many there may be. */
function readWorkers(qualifier: string): Engine | null {
  return /^[1-9]\d{0,5}$/.test(qualifier) ? { kind: 'node', workers: Number(qualifier) } : null
}

/** Throws UserError when it names no engine, or gives one what it does not understand. */
export function parseEngine(text: string): Engine {
  const [name = '', ...qualifiers] = text.split(':')
  const grammar = Object.hasOwn(ENGINES, name) ? ENGINES[name as EngineName] : undefined
  const place = { source: '--engine', path: '', found: JSON.stringify(text) }
  if (grammar === undefined) {
    const known = Object.keys(ENGINES)
    const nearest = nearestName(name, known)
    const problem = `expected one of ${known.join(', ')}`
    throw new UserError({ ...place, problem, ...(nearest === undefined ? {} : { nearest }) })
  }
  const [qualifier, ...more] = qualifiers
  if (qualifier === undefined) return { kind: name as EngineName }
  const engine = more.length === 0 ? grammar.read(qualifier) : null
  if (engine === null) throw new UserError({ ...place, problem: grammar.help })
  return engine
}
