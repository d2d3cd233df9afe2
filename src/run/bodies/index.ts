/** Which body a run lives in. */
import type { OpenBody } from './body.ts'
import type { RunOptions } from '../options.ts'

export type { Abandoned, Body, Carried, OpenBody } from './body.ts'

/** Loaded when chosen: a run under Node needs neither k6's bundler nor the fake crew's model. */
export async function bodyOf({ engine = 'node' }: RunOptions): Promise<OpenBody> {
  switch (engine) {
    case 'node':
      return (await import('./node.ts')).openNodeBody
    default:
      throw new Error(`no such engine: ${engine}`)
  }
}
