/** Why executions break the promise that breaks first. */
import { z } from 'zod'
import { said } from '../../../result/sentence-tables.ts'
import { ms } from '../../frame/envelope.ts'

export const alone = {
  metric: z.string(),
  boundMs: ms.nullable().describe('Null for a share of executions'),
}

export const BREAKS = {
  alone: said(alone, aloneWords),
  saturated: said({}, () => 'the workers are always busy'),
  shared: said({}, () => 'executions wait for something that all of them share'),
  'no-worker': said({}, () => 'no worker is free, and executions are turned away'),
  'full-queue': said({}, () => 'the queue is full, and executions are turned away'),
  deadline: said({}, () => 'executions wait for a worker until their deadline'),
  worker: said({}, () => 'executions wait for a worker'),
}

/** What breaks a promise of an execution that meets no other. */
export function aloneWords({ metric, boundMs }: z.infer<z.ZodObject<typeof alone>>): string {
  const why = boundMs === null ? `${metric} is over its bound` : 'executions take too long'
  return `${why} even without waiting`
}
