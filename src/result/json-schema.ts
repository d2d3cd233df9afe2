/** The documents of a run and of a mix as JSON Schema. */
import { resultDocument } from './document.ts'
import { mixDocument } from './mix.ts'
import { publishedSchema } from '../base/published-schema.ts'
import { OUTCOMES } from '../execution/record/record.ts'

/** JSON Schema (2020-12) of `result.json`. */
export function resultJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload result',
    description: `The result of one run, crewload/result/1; outcomes: ${OUTCOMES.join(', ')}`,
    ...publishedSchema(resultDocument),
  }
}

/** JSON Schema (2020-12) of the `result.json` of a mix. */
export function mixJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload mix',
    description: 'The result of a mix, crewload/mix/1, with the result of each part',
    ...publishedSchema(mixDocument),
  }
}
