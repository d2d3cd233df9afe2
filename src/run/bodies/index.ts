/** Which body a run lives in. */
import type { OpenBody } from './body.ts'
import type { RunOptions } from '../options.ts'

export type { Abandoned, Body, Carried, OpenBody } from './body.ts'

/** Loaded when chosen: a run under Node needs neither k6's bundler nor the fake crew's model. */
export async function bodyOf({ engine = 'node', workers = 1 }: RunOptions): Promise<OpenBody> {
  switch (engine) {
    case 'node':
      if (workers > 1) return (await import('./workers.ts')).openWorkersBody
      return (await import('./node.ts')).openNodeBody
    case 'k6':
      return (await import('./k6.ts')).openK6Body
    default:
      throw new Error(`no such engine: ${engine}`)
  }
}

/** `node, 2 workers`. */
export function engineWords({ engine = 'node', workers = 1 }: RunOptions): string {
  return workers > 1 ? `${engine}, ${workers} workers` : engine
}
