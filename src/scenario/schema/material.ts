/**
 * The author's own material: inputs, tags, headers, checks and prices. Functions are passed on and
 * called during the run.
 */
import { isObject } from '../../crew/json.ts'
import { z } from 'zod'
import { createCheck } from '../author/checks.ts'
import { DOCUMENTED_PATHS, ID_PLACE } from '../../crew/crew-request.ts'
import { isTagName } from '../inputs.ts'
import type { InputsOption, KickoffOption, TagsOption } from '../inputs.ts'
import { isEntry, isList, isRows } from '../author/inputs.ts'
import type { Check, CompletedExecution, ModelPrices, PricesPlan } from '../plan.ts'
import { HOOKS } from '../../crew/push.ts'
import { CHOICES, duration, number, oneOf, reject, section, text } from '../quantities.ts'

const INPUTS_HELP =
  'expected an object, a list of objects, { list, order }, { rows: "file.csv", order } or ' +
  'a function'

export const inputs = z.unknown().transform((value, context): InputsOption => {
  if (typeof value === 'function') return value as InputsOption
  if (isRows(value)) return checkedRows(value.rows, value.order, context)
  if (isList(value)) return checkedList(value.list, value.order, context) ? value : z.NEVER
  if (Array.isArray(value)) {
    return checkedList(value, undefined, context) ? (value as InputsOption) : z.NEVER
  }
  return isObject(value) ? value : reject(context, value, INPUTS_HELP)
})

export const kickoff = z.unknown().transform((value, context): KickoffOption => {
  if (typeof value === 'function') return value as KickoffOption
  if (!isObject(value)) return reject(context, value, 'expected an object, or a function')
  if (!('inputs' in value)) return value
  return reject(
    context,
    value,
    'expected only what stands beside `inputs`, which is its own option',
  )
})

const path = z.string({ error: 'expected a path like "/kickoff"' }).regex(/^\/[^\s?#]*$/, {
  error: 'expected a path like "/kickoff", without a query',
})

export const paths = section({
  inputs: path.default(DOCUMENTED_PATHS.inputs),
  kickoff: path.default(DOCUMENTED_PATHS.kickoff),
  status: path
    .refine((text) => text.split(ID_PLACE).length === 2, {
      error: 'expected a path with {id} once, like "/{id}/status"',
    })
    .default(DOCUMENTED_PATHS.status),
})

const LISTEN = 'an address and a port like "127.0.0.1:0" (0 takes a free one)'
const PUBLIC = 'an http or https URL without credentials and query'
const MOST_PORT = 65_535

/** `[::1]:0` too. */
const listen = text(LISTEN).transform((value, context) => {
  const [, host = '', port = ''] = /^(\[[\da-f:]+\]|[\w.-]+):(\d{1,5})$/i.exec(value) ?? []
  if (host === '' || Number(port) > MOST_PORT) return reject(context, value, `expected ${LISTEN}`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
})

const publicUrl = text(PUBLIC).refine(
  (value) => {
    const url = URL.canParse(value) ? new URL(value) : null
    if (url === null || !/^https?:$/.test(url.protocol)) return false
    return url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  },
  { error: `expected ${PUBLIC}` },
)

export const webhooks = section({
  listen: listen.prefault('127.0.0.1:0'),
  publicUrl: publicUrl.optional(),
  send: z
    .array(oneOf(HOOKS), { error: `expected a list of ${HOOKS.join(', ')}` })
    .min(1, { error: 'expected at least one webhook' })
    .default(['crew']),
  wait: duration().prefault('5s'),
})

const ANSWER = 'expected "yes", "no" or an object with approve, feedback'

const saidAnswer = z.union(
  [
    z.literal('yes').transform(() => ({ approve: true, feedback: 'Approved' })),
    z.literal('no').transform(() => ({ approve: false, feedback: 'Not approved' })),
    z.strictObject({ approve: z.boolean(), feedback: z.string() }),
  ],
  { error: ANSWER },
)

const answers = z.union(
  [
    saidAnswer.transform((one) => [one]),
    z.array(saidAnswer, { error: ANSWER }).min(1, { error: 'expected at least one answer' }),
  ],
  { error: `${ANSWER}, or a list of them` },
)

const people = section(
  {
    answer: answers,
    after: duration().prefault('0s'),
    task: text('the id of a task').min(1).optional(),
    form: oneOf(['documented', 'live']).optional(),
  },
  'true, false or ',
)

/** Whether the crew asks people, and what is answered for them. */
export const human = z.unknown().transform((value, context): z.output<typeof people> | boolean => {
  if (typeof value === 'boolean') return value
  const parsed = people.safeParse(value)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) context.issues.push(issue as z.core.$ZodRawIssue)
  return z.NEVER
})
CHOICES.set(human.in, [z.boolean(), people])

/**
 * An object by names that its author chose. A record of zod leaves the name `__proto__` out, and
 * takes an object with a function `constructor` for none.
 */
function byName<Value>(one: z.ZodType<Value>, help: string, shape: object = {}) {
  const described = z.unknown().meta({ type: 'object', ...shape })
  return described.transform((value, context): Record<string, Value> => {
    if (!isObject(value)) return reject(context, value, help)
    const entries = Object.entries(value).flatMap(([name, each]): [string, Value][] => {
      const parsed = one.safeParse(each)
      if (parsed.success && name !== '__proto__') return [[name, parsed.data]]
      const message = parsed.error?.issues[0]?.message ?? 'expected another name'
      context.issues.push({ code: 'custom', message, path: [name], input: each })
      return []
    })
    return Object.fromEntries(entries)
  })
}

const TEXT = { additionalProperties: { type: 'string' } }

const textRecord = (help: string) => byName(z.string({ error: 'expected text' }), help, TEXT)

export const tags = z.unknown().transform((value, context): TagsOption => {
  if (typeof value === 'function') return value as TagsOption
  const parsed = textRecord('expected an object of text, or a function').safeParse(value)
  for (const name of Object.keys(parsed.data ?? {}).filter((each) => !isTagName(each))) {
    const message = 'expected a name without "="'
    context.issues.push({ code: 'custom', message, path: [name], input: undefined })
  }
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) context.issues.push(issue as z.core.$ZodRawIssue)
  return z.NEVER
})

/**
 * RFC 9110 section 5.6.2: the characters of a field name. Values must not contain line breaks,
 * which would end the header.
 */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const RESERVED_HEADERS = new Set([
  'authorization',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
])

export const headers = textRecord('expected an object of header values by name').transform(
  (value, context) => {
    for (const [name, text] of Object.entries(value)) {
      const problem = headerProblem(name, text)
      if (problem !== null) {
        context.issues.push({ code: 'custom', message: problem, path: [name], input: undefined })
      }
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, text]) => [name.toLowerCase(), text]),
    )
  },
)

const checkFunction = z.custom<(completed: CompletedExecution) => unknown>(
  (value) => typeof value === 'function',
  { error: 'expected a function that returns true or false' },
)

export const checks = byName(checkFunction, 'expected an object of functions by name').transform(
  (functions): Check[] =>
    Object.entries(functions).map(([name, passes]) => createCheck(name, passes)),
)

function checkedRows(rows: string, order: unknown, context: z.RefinementCtx): InputsOption {
  if (!/\.(csv|json)$/i.test(rows)) {
    return reject(context, rows, 'expected `rows` to name a .csv or .json file')
  }
  if (order === undefined) return { rows }
  if (order === 'in-order' || order === 'random') return { rows, order }
  return reject(context, order, 'expected `order` to be "in-order" or "random"')
}

function checkedList(list: readonly unknown[], order: unknown, context: z.RefinementCtx): boolean {
  const problems = listProblems(list, order)
  for (const { path, problem: message, found: input } of problems) {
    context.issues.push({ code: 'custom', message, path, input })
  }
  return problems.length === 0
}

const ORDERS: ReadonlySet<unknown> = new Set([undefined, 'in-order', 'random', 'weighted'])

function listProblems(list: readonly unknown[], order: unknown) {
  const problems: { path: PropertyKey[]; problem: string; found: unknown }[] = []
  if (list.length === 0)
    problems.push({ path: [], problem: 'expected at least one entry', found: [] })
  if (!ORDERS.has(order)) {
    const problem = 'expected "in-order", "random" or "weighted"'
    problems.push({ path: ['order'], problem, found: order })
  }
  for (const [at, entry] of list.entries()) {
    if (!isObject(entry)) problems.push({ path: [at], problem: 'expected an object', found: entry })
    else if (isEntry(entry) && !isWeight(entry.weight)) {
      const problem = 'expected a number over 0'
      problems.push({ path: [at, 'weight'], problem, found: entry.weight })
    }
  }
  return problems
}

function isWeight(weight: unknown): boolean {
  return weight === undefined || (typeof weight === 'number' && weight > 0 && weight < Infinity)
}

function headerProblem(name: string, value: string): string | null {
  if (!HEADER_NAME.test(name)) return 'not a header name'
  if (RESERVED_HEADERS.has(name.toLowerCase())) {
    return 'set by crewload itself (a token comes from CREWLOAD_TOKEN or --token-file)'
  }
  return /[\r\n\0]/.test(value) ? 'a header value is one line' : null
}

const MAX_PRICE = 1_000_000
const price = () => number(0, MAX_PRICE)

/** What tokens cost, per million. */
const modelPrice = section({ input: price(), output: price(), cached: price().optional() })

export const prices = section({
  currency: text('the name of a currency like "USD"')
    .regex(/^[A-Za-z]{1,10}$/, { error: 'expected the name of a currency like "USD"' })
    .optional(),
  input: price().optional(),
  output: price().optional(),
  cached: price().optional(),
  models: z
    .record(z.string(), modelPrice, { error: 'expected an object of prices by model' })
    .default({}),
}).transform((written, context): PricesPlan => {
  const { currency = null, input, output, cached, models } = written
  const priced = Object.entries(models).map(([name, each]) => [name, pricesOf(each)] as const)
  const plan = { currency, models: Object.fromEntries(priced) }
  if (input !== undefined && output !== undefined) {
    return { ...plan, every: pricesOf({ input, output, cached }) }
  }
  const isBare = input === undefined && output === undefined && cached === undefined
  if (isBare && priced.length > 0) return { ...plan, every: null }
  const lacks = input === undefined ? 'input' : 'output'
  return reject(context, written, `expected a price of ${lacks}, or models with their own prices`)
})

/** Cached input costs as much as other input where no price of it is given. */
function pricesOf({ input, output, cached = input }: z.output<typeof modelPrice>): ModelPrices {
  return { input, output, cached }
}
