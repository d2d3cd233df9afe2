/** Rules for `GET /inputs` and `POST /kickoff`. */
import { isVisible } from '../../base/visible.ts'
import { excerptOf } from '../excerpt.ts'
import { asObject, isJsonType } from '../json.ts'
import { isSuccess, MAX_ID_LENGTH, redirection } from '../read.ts'
import { unreadableWait } from '../retry-after.ts'
import type { InputsRule, KickoffRule, RunRule } from './rule.ts'

export const INPUTS_RULES: readonly InputsRule[] = [
  {
    name: 'inputs-content-type-json',
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

export const KICKOFF_RULES: readonly KickoffRule[] = [
  {
    name: 'kickoff-answers-200',
    basis: 'assumed',
    source: 'Section 7 lists no other success code, and live deployments answer 200, not 202',
    requires: 'An accepted kickoff is answered with 200',
    broken: ({ answer }) =>
      isSuccess(answer.status) && answer.status !== 200 ? `HTTP ${answer.status}` : undefined,
  },
  {
    name: 'kickoff-content-type-json',
    basis: 'documented',
    source: 'Introduction: a REST API over HTTP with JSON bodies',
    requires: 'The answer to an accepted kickoff has the content type application/json',
    broken: ({ answer }) =>
      isSuccess(answer.status) && !isJsonType(answer.headers['content-type'])
        ? `content-type: ${excerptOf(answer.headers['content-type'])}`
        : undefined,
  },
  {
    name: 'kickoff-is-not-redirected',
    basis: 'assumed',
    source: 'The interface names one path; clients do not follow a POST elsewhere',
    requires: 'A kickoff is answered where it is sent',
    broken: ({ answer }) => redirection(answer),
  },
  {
    name: 'kickoff-retry-after-is-readable',
    basis: 'assumed',
    source: 'RFC 9110, section 10.2.3; forms that products use beside it are read too',
    requires: 'A field that asks for a wait holds a time that a client can read',
    broken: ({ answer }) => unreadableWait(answer.headers),
  },
  {
    name: 'kickoff-id-present',
    basis: 'documented',
    source: '4.3',
    requires: 'The answer to an accepted kickoff carries a kickoff_id',
    broken: ({ answer, observed }) =>
      isSuccess(answer.status) && observed.kickoffId === null
        ? `kickoff_id: ${excerptOf(observed.body?.['kickoff_id'])}`
        : undefined,
  },
  {
    name: 'kickoff-id-is-string',
    basis: 'documented',
    source: '2.1 and 4.3',
    requires: 'The kickoff_id is a string',
    broken: ({ observed }) => {
      const id = observed.body?.['kickoff_id']
      const missing = observed.kickoffId === null && (id === undefined || id === null)
      return missing || typeof id === 'string' || observed.status !== 200
        ? undefined
        : `kickoff_id: ${excerptOf(id)}`
    },
  },
  {
    name: 'kickoff-id-sane',
    basis: 'assumed',
    source:
      'The vendor shows ids that are not valid UUIDs, so any text that fits in a ' +
      'request path is accepted',
    requires: `The kickoff_id is 1 to ${MAX_ID_LENGTH} characters long, printable, without spaces`,
    broken: ({ observed }) => {
      const id = observed.body?.['kickoff_id']
      return typeof id !== 'string' || (observed.kickoffId !== null && isOneWord(id))
        ? undefined
        : `kickoff_id: ${excerptOf(id)}`
    },
  },
]

/**
 * Checked over all executions of a run, by the code that reads the records of all its instances.
 */
export const ID_UNIQUE: RunRule = {
  name: 'kickoff-id-unique',
  basis: 'documented',
  source: '2.1: the kickoff_id identifies an execution',
  requires: 'Every kickoff gets a different kickoff_id',
}

function isOneWord(id: string): boolean {
  return !/\s/.test(id) && isVisible(id)
}
