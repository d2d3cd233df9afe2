/** What it means that a target answers with nothing but one code or failure, in words. */
import { formatMs, plural } from '../../base/numbers.ts'
import type { AnswerCode } from '../../crew/observation.ts'
import { answerCode } from '../../execution/record/reason.schema.ts'
import { reason } from '../sentence-tables.ts'
import type { TargetLossResult } from '../document-parts.schema.ts'
import { count, targetLoss } from '../document-parts.schema.ts'

interface LossCause {
  /** `the token was no longer accepted`; followed by `from 30.2 s on`. */
  happened: string
  remedy: string
}

export function lossCause(answer: AnswerCode): LossCause {
  const known = CAUSES[answer]
  if (known !== undefined) return known
  if (typeof answer !== 'number') return SILENCE
  return answer < 500 ? OTHER_CODES : SERVER_ERRORS
}

const LOOK = 'check the deployment'

const CAUSES: Partial<Record<AnswerCode, LossCause>> = {
  401: {
    happened: 'the token was no longer accepted',
    remedy: 'give a new token if this one expired or was revoked',
  },
  403: {
    happened: 'the token was no longer permitted to do this',
    remedy: 'check the permissions of the token',
  },
  429: {
    happened: 'a limit refused every request',
    remedy: 'send fewer requests, and honour Retry-After',
  },
  dns: {
    happened: 'the host name no longer resolved',
    remedy: 'check its DNS record and the resolver of this machine',
  },
  refused: {
    happened: 'the target refused connections',
    remedy: `no process listens there: ${LOOK}`,
  },
  tls: {
    happened: 'no TLS connection could be established any more',
    remedy: 'check whether its certificate has expired or was changed',
  },
}

const SERVER_ERRORS: LossCause = {
  happened: 'the target answered only with errors',
  remedy: `it responds but does not work: ${LOOK}`,
}
const OTHER_CODES: LossCause = {
  happened: 'the target rejected every request',
  remedy: `${LOOK} and any gateway in front of it`,
}
const SILENCE: LossCause = {
  happened: 'the target no longer gave complete answers',
  remedy: `${LOOK} and the network in front of it`,
}

/** Why a target that was lost, or never there, ended or prevented the run. */
export const LOSS_REASONS = {
  'target-refused': reason(
    {
      answer: answerCode,
      loss: targetLoss.nullable().describe('Null if only the probes at the end of the run saw it'),
    },
    ({ answer, loss }) =>
      loss === null
        ? `${lossCause(answer).happened} at the end of the run (${answer})`
        : lossWords(loss),
    ({ answer, loss }) => (loss === null ? againRemedy(answer) : lossRemedy(loss)),
    ({ loss }) => `the target refused access${loss === null ? '' : sinceWords(loss)}`,
  ),
  'target-dead': reason(
    { loss: targetLoss },
    ({ loss }) => lossWords(loss),
    ({ loss }) => lossRemedy(loss),
    ({ loss }) => `the target was lost${sinceWords(loss)}`,
  ),
  'target-unreachable': reason(
    { answer: answerCode, requests: count },
    ({ answer, requests }) =>
      `none of ${plural(requests, 'request')} got a usable answer: ` +
      `${lossCause(answer).happened} (${answer})`,
    ({ answer }) => againRemedy(answer),
    ({ answer }) => `the target never gave a usable answer (${answer})`,
  ),
}

function lossWords({ scope, sinceMs, requests, first, last }: TargetLossResult): string {
  const what = plural(requests, scope === 'everything' ? 'request' : 'kickoff')
  const codes = first === last ? first : `${first}, at last ${last}`
  return `${lossCause(first).happened} from ${formatMs(sinceMs)} on: all ${what} failed (${codes})`
}

function sinceWords({ sinceMs, first }: TargetLossResult): string {
  return ` after ${formatMs(sinceMs)} (${first})`
}

function lossRemedy({ first }: TargetLossResult): string {
  return `${againRemedy(first)} (circuit: off disables this stop)`
}

function againRemedy(answer: AnswerCode): string {
  return `${lossCause(answer).remedy}, and run again`
}
