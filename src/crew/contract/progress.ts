/** Rules for the progress counters, in both dialects, and from answer to answer. */
import { excerptOf } from '../excerpt.ts'
import { asObject } from '../json.ts'
import type { StatusObservation } from '../observation.ts'
import { NOT_SHOWN } from './rule.ts'
import type { StatusRule } from './rule.ts'

export const PROGRESS_RULES: readonly StatusRule[] = [
  {
    name: 'progress-has-integers',
    dialect: 'interface',
    phases: ['running'],
    basis: 'assumed',
    source: `2.2; ${NOT_SHOWN}`,
    requires: 'progress carries the integers completed_tasks and total_tasks',
    broken: ({ observed }) => {
      const progress = asObject(observed.body?.['progress'])
      if (progress === undefined) return undefined
      const { completed_tasks: completed, total_tasks: total } = progress
      return Number.isSafeInteger(completed) && Number.isSafeInteger(total)
        ? undefined
        : `progress: ${excerptOf(progress)}`
    },
  },
  {
    name: 'platform-progress-has-integers',
    dialect: 'platform',
    phases: ['running', 'paused'],
    basis: 'assumed',
    source: 'Seen on live deployments, where progress may be null',
    requires:
      'If progress is not null, it carries the integers completed and total; of steps, total may ' +
      'be null',
    broken: ({ observed }) => {
      const progress = asObject(observed.body?.['progress'])
      if (progress === undefined) return undefined
      const { unit, completed, total } = progress
      const isOpen = unit === 'step' && (total ?? null) === null
      return Number.isSafeInteger(completed) && (isOpen || Number.isSafeInteger(total))
        ? undefined
        : `progress: ${excerptOf(progress)}`
    },
  },
  {
    name: 'progress-in-range',
    phases: ['running', 'paused'],
    basis: 'assumed',
    source: '2.2: number of tasks completed, total number of tasks',
    requires: 'The number of completed tasks is between 0 and the total, which is not negative',
    broken: ({ observed }) => {
      const { completedTasks: completed, totalTasks: total } = observed
      const outside =
        (completed !== null && completed < 0) ||
        (total !== null && total < 0) ||
        (completed !== null && total !== null && completed > total)
      return outside ? counters(observed) : undefined
    },
  },
  {
    name: 'completed-tasks-never-decrease',
    phases: ['running', 'paused'],
    basis: 'assumed',
    source: 'Transitions are not shown; a completed task stays completed',
    contradicts: 'course',
    requires: 'The number of completed tasks never decreases while an execution runs',
    broken: ({ observed, history }) =>
      observed.completedTasks !== null &&
      history.completedTasks !== null &&
      observed.completedTasks < history.completedTasks
        ? `${history.completedTasks} completed, then ${counters(observed)}`
        : undefined,
  },
  {
    name: 'total-tasks-constant',
    phases: ['running', 'paused'],
    basis: 'assumed',
    source: '2.2: total number of tasks in the crew; that it stays the same is not shown',
    contradicts: 'course',
    requires: 'The total number of tasks stays the same while an execution runs',
    broken: ({ observed, history }) =>
      observed.totalTasks !== null &&
      history.totalTasks !== null &&
      observed.totalTasks !== history.totalTasks
        ? `${history.totalTasks} in total, then ${counters(observed)}`
        : undefined,
  },
]

function counters({ completedTasks, totalTasks }: StatusObservation): string {
  return `${completedTasks ?? 'unknown'} of ${totalTasks ?? 'unknown'}`
}
