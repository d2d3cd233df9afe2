/** Rules for `GET /inputs`. */
import { isJsonType } from '../content-type.ts'
import { excerptOf } from '../excerpt.ts'
import { asObject } from '../json.ts'
import { isSuccess } from '../read.ts'
import type { InputsRule } from './rule.ts'

export const INPUTS_RULES: readonly InputsRule[] = [
  {
    name: 'inputs-content-type-json',
    operation: 'inputs',
    basis: 'documented',
    source: 'Introduction: a REST API over HTTP with JSON bodies',
    requires: 'The list of inputs has the content type application/json',
    broken: ({ answer }) =>
      isSuccess(answer.status) && !isJsonType(answer.headers['content-type'])
        ? `content-type: ${excerptOf(answer.headers['content-type'])}`
        : undefined,
  },
  {
    name: 'inputs-lists-names',
    operation: 'inputs',
    basis: 'assumed',
    source: '4.2 shows no payload; the vendor documents {"inputs":["topic"]}',
    requires: 'The answer carries inputs, a list of names',
    broken: ({ answer, observed: { body } }) => {
      const names = asObject(body)?.['inputs']
      const kept = Array.isArray(names) && names.every((name) => typeof name === 'string')
      return !isSuccess(answer.status) || kept ? undefined : excerptOf(body)
    },
  },
]
