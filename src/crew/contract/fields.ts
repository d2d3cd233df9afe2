/**
 * Rules for the fields of a status answer. In the interface dialect, documented are the fields that
 * the rules of section 4.1 require; their contents are assumed, because the interface states no
 * mandatory fields (2.7). In the platform dialect all are assumed, from what live deployments send.
 */
import { excerptOf } from '../excerpt.ts'
import { asObject, isObject } from '../json.ts'
import type { Phase } from '../observation.ts'
import { NOT_SHOWN } from './rule.ts'
import type { StatusRule } from './rule.ts'

export const VARIANT_RULES: readonly StatusRule[] = [
  field('running', 'current_task', 'a string', isString, '2.2 and 4.1 rule 1'),
  field('running', 'progress', 'an object', isObject, '2.2 and 4.1 rule 1'),
  field('completed', 'result', 'an object', isObject, '2.3 and 4.1 rule 2'),
  field('completed', 'execution_time', 'a number of seconds', isSeconds, '2.3 and 4.1 rule 2'),
  field('failed', 'error', 'a string', isString, '2.5 and 4.1 rule 3'),
  field('failed', 'execution_time', 'a number of seconds', isSeconds, '2.5 and 4.1 rule 3'),
  {
    name: 'status-word-exact',
    dialect: 'interface',
    phases: ['running', 'completed', 'failed'],
    basis: 'documented',
    source: 'Section 3',
    requires: 'The state is spelled running, completed or error, in lower case',
    broken: ({ observed: { body } }) => {
      const word = body?.['status']
      return typeof word !== 'string' || word === word.toLowerCase()
        ? undefined
        : `status: ${excerptOf(word)}`
    },
  },
  {
    name: 'result-has-output',
    dialect: 'interface',
    phases: ['completed'],
    basis: 'assumed',
    source: `2.3; ${NOT_SHOWN}`,
    requires: 'The result carries the string output',
    broken: ({ observed: { body } }) => {
      const result = asObject(body?.['result'])
      return result === undefined || isString(result['output'])
        ? undefined
        : `result.output: ${excerptOf(result['output'])}`
    },
  },
  {
    name: 'result-has-tasks',
    dialect: 'interface',
    phases: ['completed'],
    basis: 'assumed',
    source: `2.3; ${NOT_SHOWN}`,
    requires: 'The result carries the list tasks',
    broken: ({ observed: { body } }) => {
      const result = asObject(body?.['result'])
      return result === undefined || Array.isArray(result['tasks'])
        ? undefined
        : `result.tasks: ${excerptOf(result['tasks'])}`
    },
  },
  {
    name: 'task-result-shape',
    dialect: 'interface',
    phases: ['completed'],
    basis: 'assumed',
    source: `2.4; ${NOT_SHOWN}`,
    requires: 'Each task result carries task_id, output and agent as strings and execution_time',
    broken: ({ observed: { body } }) => {
      const tasks = asObject(body?.['result'])?.['tasks']
      if (!Array.isArray(tasks)) return undefined
      const wrong = tasks.findIndex((task) => !isTaskResult(task))
      return wrong === -1 ? undefined : `result.tasks[${wrong}]: ${excerptOf(tasks[wrong])}`
    },
  },
]

/** One rule for one field that a variant must have. */
function field(
  phase: Phase & ('running' | 'completed' | 'failed'),
  key: string,
  shape: string,
  fits: (value: unknown) => boolean,
  source: string,
): StatusRule {
  const variant = phase === 'failed' ? 'error' : phase
  return {
    name: `${variant}-has-${key.replace('_', '-')}`,
    dialect: 'interface',
    phases: [phase],
    basis: 'documented',
    source,
    requires: `An answer in state ${variant} carries ${key}, ${shape}`,
    broken: ({ observed: { body } }) =>
      body === undefined || fits(body[key]) ? undefined : `${key}: ${excerptOf(body[key])}`,
  }
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isSeconds(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isTaskResult(value: unknown): boolean {
  const task = asObject(value)
  return (
    isString(task?.['task_id']) &&
    isString(task['output']) &&
    isString(task['agent']) &&
    isSeconds(task['execution_time'])
  )
}

const SOURCE = 'Seen on live deployments'

export const PLATFORM_RULES: readonly StatusRule[] = [
  {
    name: 'platform-message-is-text',
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
