/**
 * Inputs: what each arrival passes to the crew, from an object, a list, the rows of a file or a
 * function.
 */
import { isObject } from '../../crew/json.ts'
import { plural } from '../../base/numbers.ts'
import { excerpt } from '../../crew/excerpt.ts'
import type { Random } from '../../base/random.ts'
import { callAuthor, isPromise, letReject, ScenarioError } from './call.ts'
import type {
  ArrivalInputs,
  InputEntry,
  InputMaterial,
  InputRecord,
  InputsOption,
  InputSource,
  KickoffOption,
  TagsOption,
} from '../inputs.ts'
import { isTagName } from '../inputs.ts'

/**
 * The caller rejects an empty list. `random` is forked by index, so the order of calls does not
 * matter.
 */
export function createInputSource(material: InputMaterial, random: Random): InputSource {
  const { choose, description } = chooser(material, random)
  const source = (index: number): ArrivalInputs => {
    const { inputs, tags } = choose(index)
    const all = tagsOf(material.tags, index, inputs)
    const own = { inputs, tags: tags === undefined ? all : { ...all, ...tags } }
    if (material.kickoff === undefined) return own
    return { ...own, members: membersOf(material.kickoff, index, inputs, random) }
  }
  return Object.assign(source, { description, material })
}

/** True for `{ rows: 'topics.csv', order? }`: an object with only these keys. */
export function isRows(inputs: unknown): inputs is Extract<InputsOption, { rows: string }> {
  return hasOnly(inputs, ['rows', 'order']) && typeof inputs['rows'] === 'string'
}

/** True for inputs that are the same for every arrival. */
export function isSame(inputs: InputsOption): inputs is InputRecord {
  return isObject(inputs) && !isRows(inputs) && !isList(inputs)
}

/** True for `{ list: [...], order? }`: an object with only these keys. */
export function isList(inputs: unknown): inputs is Extract<InputsOption, { list: unknown }> {
  return hasOnly(inputs, ['list', 'order']) && Array.isArray(inputs['list'])
}

/**
 * True for `{ inputs: {...}, weight?, tags? }`, an entry of a list; any other object is the inputs
 * themselves.
 */
export function isEntry(entry: unknown): entry is InputEntry {
  return hasOnly(entry, ['inputs', 'weight', 'tags']) && isObject(entry['inputs'])
}

type InputOrder = 'in-order' | 'random' | 'weighted'

interface Chooser {
  choose: (index: number) => InputEntry
  description: string
}

function chooser({ inputs, rows }: InputMaterial, random: Random): Chooser {
  if (typeof inputs === 'function') {
    return {
      choose: (index) => ({
        inputs: made(
          callAuthor('inputs', () => inputs({ index, random: random.fork('inputs', index) })),
        ),
      }),
      description: 'made by a function',
    }
  }
  if (isRows(inputs)) {
    return listChooser(rows, inputs.order ?? 'in-order', random, [
      `row of ${inputs.rows}`,
      `rows of ${inputs.rows}`,
    ])
  }
  if (isList(inputs)) return listChooser(inputs.list, inputs.order ?? 'in-order', random)
  if (Array.isArray(inputs)) return listChooser(inputs, 'in-order', random)
  const same = { inputs: inputs as InputRecord }
  return { choose: () => same, description: 'the same for every arrival' }
}

function listChooser(
  list: readonly (InputRecord | InputEntry)[],
  order: InputOrder,
  random: Random,
  [one, many] = ['entry', 'entries'],
): Chooser {
  const entries = list.map((item): InputEntry => (isEntry(item) ? item : { inputs: item }))
  const pick = picker(entries, order)
  return {
    choose: (index) => entries[pick(index, random)] as InputEntry,
    description: `${plural(entries.length, one, many)}, ${ORDER_WORDS[order]}`,
  }
}

const ORDER_WORDS: Record<InputOrder, string> = {
  'in-order': 'in order',
  random: 'at random',
  weighted: 'by weight',
}

function picker(entries: readonly InputEntry[], order: InputOrder) {
  if (order === 'in-order') return (index: number) => index % entries.length
  let total = 0
  const ends = entries.map(
    ({ weight = 1 }) => (total += order === 'weighted' ? Math.max(0, weight) : 1),
  )
  return (index: number, random: Random) => {
    const point = random.fork('inputs', index).next() * total
    return ends.findIndex((end) => point < end)
  }
}

function membersOf(
  kickoff: KickoffOption,
  index: number,
  inputs: InputRecord,
  random: Random,
): InputRecord {
  if (typeof kickoff !== 'function') return kickoff
  const arrival = { index, inputs, random: random.fork('kickoff', index) }
  const members = made(
    callAuthor('kickoff', () => kickoff(arrival)),
    'kickoff',
  )
  if (!('inputs' in members)) return members
  throw new ScenarioError('kickoff', 'value', 'kickoff() must leave inputs to the option inputs')
}

function tagsOf(tags: TagsOption, index: number, inputs: InputRecord): Record<string, string> {
  if (typeof tags !== 'function') return tags
  const given: unknown = callAuthor('tags', () => tags({ index, inputs }))
  if (!isObject(given)) throw unusable('tags', 'an object of text', given)
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string' && isTagName(name)) continue
    const found = JSON.stringify(excerpt(name, 40))
    const problem = isTagName(name)
      ? `tags must be text by name, and ${found} is ${shown(value)}`
      : `${found} cannot be the name of a tag, which has no "="`
    throw new ScenarioError('tags', 'value', problem)
  }
  return given as Record<string, string>
}

/**
 * JavaScript may pass any value: a wrong one is the user's mistake, reported where the call is
 * made.
 */
function made(inputs: unknown, part = 'inputs'): InputRecord {
  if (!isObject(inputs)) throw unusable(part, 'an object', inputs)
  for (const [name, value] of Object.entries(inputs)) {
    if (!isPromise(value)) continue
    letReject(value)
    const problem = `${part} must hold values, and ${JSON.stringify(excerpt(name, 40))} is a promise`
    throw new ScenarioError(part, 'promise', problem)
  }
  return inputs
}

function unusable(part: string, expected: string, found: unknown): ScenarioError {
  const problem = `${part}() must return ${expected}, not ${shown(found)}`
  return new ScenarioError(part, 'value', problem)
}

function shown(value: unknown): string {
  try {
    return excerpt(JSON.stringify(value) ?? typeof value, 80)
  } catch {
    return typeof value
  }
}

function hasOnly(value: unknown, keys: readonly string[]): value is Record<string, unknown> {
  return isObject(value) && Object.keys(value).every((key) => keys.includes(key))
}
