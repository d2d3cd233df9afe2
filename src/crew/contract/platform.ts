/**
 * Rules for the fields of a status answer in the platform dialect: all assumed, from what live
 * deployments send.
 */
import { excerptOf } from '../excerpt.ts'
import { asObject } from '../json.ts'
import type { StatusRule } from './rule.ts'

const SOURCE = 'Seen on live deployments'

export const PLATFORM_RULES: readonly StatusRule[] = [
  {
    name: 'platform-message-is-text',
    operation: 'status',
    dialect: 'platform',
    phases: ['running', 'paused', 'completed', 'failed'],
    basis: 'assumed',
    source: SOURCE,
    requires: 'status is a message or null',
    broken: ({ observed: { body } }) =>
      isTextOrNull(body?.['status']) ? undefined : `status: ${excerptOf(body?.['status'])}`,
  },
  {
    name: 'platform-result-is-text',
    operation: 'status',
    dialect: 'platform',
    phases: ['completed'],
    basis: 'assumed',
    source: SOURCE,
    requires: 'An answer in state SUCCESS carries the string result',
    broken: ({ observed: { body } }) =>
      typeof body?.['result'] === 'string' ? undefined : `result: ${excerptOf(body?.['result'])}`,
  },
  {
    name: 'platform-progress-is-object',
    operation: 'status',
    dialect: 'platform',
    phases: ['running', 'paused', 'completed', 'failed'],
    basis: 'assumed',
    source: SOURCE,
    requires: 'progress is an object, null or missing',
    broken: ({ observed: { body } }) => {
      const progress = body?.['progress'] ?? null
      return progress === null || asObject(progress) !== undefined
        ? undefined
        : `progress: ${excerptOf(progress)}`
    },
  },
]

function isTextOrNull(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string'
}
