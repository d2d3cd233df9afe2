/** Rules for status answers at the HTTP level: status code, content type, a JSON body. */
import { isJsonType } from '../json.ts'
import { excerpt, excerptOf } from '../excerpt.ts'
import { interfacePhase } from '../dialects.ts'
import type { Phase } from '../observation.ts'
import { isSuccess, redirection } from '../read.ts'
import { unreadableWait } from '../retry-after.ts'
import { NOT_SHOWN } from './rule.ts'
import type { StatusRule } from './rule.ts'

/** Phases that a 2xx can report. */
export const ANSWERED: readonly Phase[] = ['running', 'paused', 'completed', 'failed', 'unreadable']
/** Phases that other status codes report. */
const REFUSED: readonly Phase[] = ['not-found', 'denied', 'limited', 'server-error', 'unexpected']

/** Statuses whose answers have the Error body (section 7). */
const HAS_ERROR_BODY: ReadonlySet<number> = new Set([401, 404, 500])

export const HTTP_RULES: readonly StatusRule[] = [
  {
    name: 'status-answers-200',
    phases: ANSWERED,
    basis: 'documented',
    source: '4.1',
    requires: 'The state of an execution is answered with 200',
    broken: ({ answer }) => (answer.status === 200 ? undefined : `HTTP ${answer.status}`),
  },
  {
    name: 'status-code-known',
    phases: ['unexpected'],
    basis: 'assumed',
    source: 'Section 7 lists the codes; 403, 429 and the 5xx of gateways are tolerated',
    requires: 'The status operation answers 200, 401, 403, 404, 429 or 5xx',
    broken: ({ answer }) => redirection(answer) ?? `HTTP ${answer.status}`,
  },
  {
    name: 'content-type-json',
    phases: ANSWERED,
    basis: 'documented',
    source: '4.1: 200 response, application/json',
    requires: 'A status answer has the content type application/json',
    broken: ({ answer }) =>
      isJsonType(answer.headers['content-type'])
        ? undefined
        : `content-type: ${excerptOf(answer.headers['content-type'])}`,
  },
  {
    name: 'body-is-json',
    phases: ['unreadable'],
    basis: 'documented',
    source: 'Introduction: status responses are JSON',
    requires: 'The body of a status answer is a JSON object',
    broken: ({ answer, observed }) =>
      observed.body === undefined ? bodyExcerpt(answer.body) : undefined,
  },
  {
    name: 'state-is-known',
    phases: ['unreadable'],
    basis: 'documented',
    source: 'Section 3; for the platform dialect the states that the vendor documents',
    requires: 'The state is one of those documented',
    broken: ({ observed: { body } }) => {
      if (body === undefined) return undefined
      return 'state' in body
        ? `state: ${excerptOf(body['state'])}`
        : `status: ${excerptOf(body['status'])}`
    },
  },
  {
    name: 'retry-after-is-readable',
    phases: [...ANSWERED, ...REFUSED],
    basis: 'assumed',
    source: 'RFC 9110, section 10.2.3; forms that products use beside it are read too',
    requires: 'A field that asks for a wait holds a time that a client can read',
    broken: ({ answer }) => unreadableWait(answer.headers),
  },
  {
    name: 'failed-run-is-200',
    dialect: 'interface',
    phases: REFUSED,
    basis: 'documented',
    source: '4.1 rule 3 and section 7',
    requires: 'A failed execution is reported with 200, not as an HTTP error',
    broken: ({ answer, observed: { body } }) =>
      interfacePhase(body?.['status']) === 'failed'
        ? `HTTP ${answer.status} with status ${excerptOf(body?.['status'])}`
        : undefined,
  },
  {
    name: 'error-body-shape',
    dialect: 'interface',
    phases: ['denied', 'not-found', 'server-error'],
    basis: 'documented',
    source: '2.6 and section 7',
    requires: 'Answers with 401, 404 and 500 carry an Error body, which is a JSON object',
    broken: ({ answer, observed: { body } }) =>
      !HAS_ERROR_BODY.has(answer.status) || body !== undefined
        ? undefined
        : `HTTP ${answer.status}: ${bodyExcerpt(answer.body)}`,
  },
  {
    name: 'error-body-has-fields',
    dialect: 'interface',
    phases: ['denied', 'not-found', 'server-error'],
    basis: 'assumed',
    source: `2.6; ${NOT_SHOWN}`,
    requires: 'An Error body carries the strings error and message',
    broken: ({ answer, observed: { body } }) => {
      if (!HAS_ERROR_BODY.has(answer.status) || body === undefined) return undefined
      return typeof body['error'] === 'string' && typeof body['message'] === 'string'
        ? undefined
        : `HTTP ${answer.status}: ${bodyExcerpt(answer.body)}`
    },
  },
  {
    name: 'platform-error-has-detail',
    dialect: 'platform',
    phases: ['denied'],
    basis: 'assumed',
    source: 'Seen on live deployments',
    requires: 'Answers with 401 and 403 carry the string detail',
    broken: ({ answer, observed }) =>
      isSuccess(answer.status) || typeof observed.body?.['detail'] === 'string'
        ? undefined
        : `HTTP ${answer.status}: ${bodyExcerpt(answer.body)}`,
  },
]

function bodyExcerpt(body: string): string {
  return body === '' ? 'an empty body' : excerpt(body)
}
