/** A mix as its author writes it: checked, with its parts in order. */
import { isObject } from '../../crew/json.ts'
import { z } from 'zod'
import { UserError } from '../../base/mistakes.ts'
import type { BudgetPlan } from '../plan.ts'
import { toMistakes } from './mistakes.ts'
import { section, text } from '../quantities.ts'
import { budget, jsonSchema, name, scenarioJsonSchema, seed } from './scenario.ts'

export interface ParsedMix {
  name: string
  description: string
  budget: BudgetPlan
  seed: number
  parts: readonly ParsedPart[]
}

export interface ParsedPart {
  name: string
  /** A reference, or what is checked as a scenario when its plan is made. */
  scenario: unknown
  target: string | null
  tokenFrom: string | null
}

const PART_NAME = /^[\w-]{1,30}$/
const FEWEST_PARTS = 2
/** Each has connections of its own, and a chapter that somebody shall read. */
const MOST_PARTS = 20

const placed = section({
  scenario: z.unknown().refine((value) => typeof value === 'string' || isObject(value), {
    error: 'expected a scenario, its file, or a shipped name',
  }),
  target: text('a base URL like "http://127.0.0.1:8000"').optional(),
  tokenFrom: text('the name of an environment variable')
    .regex(/^\w+$/, { error: 'expected the name of an environment variable' })
    .optional(),
})

const part = z
  .preprocess(
    (value) => (isObject(value) && 'scenario' in value ? value : { scenario: value }),
    placed,
  )
  .transform(({ scenario, target = null, tokenFrom = null }) => ({ scenario, target, tokenFrom }))

const parts = z
  .record(z.string(), part, {
    error: 'expected an object of scenarios by the names of their parts',
  })
  .transform((named, context): ParsedPart[] => {
    const names = Object.keys(named)
    for (const each of names.filter((each) => !PART_NAME.test(each))) {
      const message = 'expected a name of 1 to 30 letters, digits, "-" or "_"'
      context.issues.push({ code: 'custom', message, path: [each], input: each })
    }
    if (names.length < FEWEST_PARTS || names.length > MOST_PARTS) {
      const message = `expected from ${FEWEST_PARTS} to ${MOST_PARTS} parts`
      context.issues.push({ code: 'custom', message, input: names.length })
    }
    return Object.entries(named).map(([name, each]) => Object.assign(each, { name }))
  })

const mix = section({
  name,
  description: text('a sentence or two').default(''),
  parts,
  budget: budget.prefault({}),
  seed,
})

/** The JSON Schema of a mix's data: what an author may write, except functions. */
export function scenarioMixJsonSchema(): Record<string, unknown> {
  const { $schema, ...scenario } = scenarioJsonSchema()
  const { $schema: _mix, properties, ...body } = jsonSchema(mix)
  const { $schema: _part, properties: ofPart, ...partBody } = jsonSchema(placed)
  const own = { anyOf: [{ type: 'string' }, { $ref: '#/$defs/scenario' }] }
  const partWith = { ...partBody, properties: Object.assign({}, ofPart, { scenario: own }) }
  const named = {
    type: 'object',
    minProperties: FEWEST_PARTS,
    maxProperties: MOST_PARTS,
    propertyNames: { pattern: PART_NAME.source },
    additionalProperties: { anyOf: [...own.anyOf, partWith] },
  }
  return {
    $schema,
    title: 'crewload mix of scenarios',
    description: 'The data of a mix; its scenarios as `crewload schema scenario` describes them.',
    ...body,
    properties: Object.assign({}, properties, { parts: named }),
    $defs: { scenario },
  }
}

/** Whether a value was meant as a mix. */
export function isMix(value: unknown): value is { parts: unknown } {
  return isObject(value) && 'parts' in value && !('arrivals' in value)
}

/** Throws a UserError with every mistake, apart from those in the scenarios of its parts. */
export function parseMix(value: unknown, source: string): ParsedMix {
  const checked = mix.safeParse(value)
  if (!checked.success) throw new UserError(toMistakes(checked.error.issues, value, source))
  return checked.data
}
