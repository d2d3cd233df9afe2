/**
 * `--engine node,node:2,virtual,k6`: which engines carry the load, one after another, and with
 * which options.
 */
import type { Mistake } from '../base/mistakes.ts'
import { nearestName, UserError } from '../base/mistakes.ts'
import type { Engine, EngineName } from './options.ts'

export interface EngineChoice {
  /** The name as it was written; a repetition gets a number: `node #2`. */
  name: string
  /** The same for a folder's name: `node-2`, `node.2`. */
  folder: string
  engine: Engine
}

const MOST_ENGINES = 16

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

/**
 * Names separated by commas; one may be repeated as a control. Throws UserError with every mistake.
 */
export function parseEngines(text: string): EngineChoice[] {
  const words = text.split(',').map((word) => word.trim())
  const mistakes: Mistake[] = words.flatMap((word) => faultOf(word) ?? [])
  if (words.length > MOST_ENGINES) {
    mistakes.push(mistake(`${words.length} engines`, `expected at most ${MOST_ENGINES}`))
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
  const seen = new Map<string, number>()
  return words.map((word) => {
    const times = (seen.get(word) ?? 0) + 1
    seen.set(word, times)
    const name = times === 1 ? word : `${word} #${times}`
    return { name, folder: name.replaceAll(':', '-').replace(' #', '.'), engine: engineIn(word)! }
  })
}

function faultOf(word: string): Mistake | null {
  const [name = ''] = word.split(':')
  const grammar = grammarOf(name)
  if (grammar === undefined) {
    const known = Object.keys(ENGINES)
    const nearest = nearestName(name, known)
    return {
      ...mistake(JSON.stringify(word), `expected one or several of ${known.join(', ')}`),
      ...(nearest === undefined ? {} : { nearest }),
    }
  }
  return engineIn(word) === null ? mistake(JSON.stringify(word), grammar.help) : null
}

function engineIn(word: string): Engine | null {
  const [name = '', ...qualifiers] = word.split(':')
  if (qualifiers.length === 0) return { kind: name as EngineName }
  if (qualifiers.length > 1) return null
  return grammarOf(name)?.read(qualifiers[0] ?? '') ?? null
}

function grammarOf(name: string): Grammar | undefined {
  return Object.hasOwn(ENGINES, name) ? ENGINES[name as EngineName] : undefined
}

function mistake(found: string, problem: string): Mistake {
  return { source: '--engine', path: '', found, problem }
}
