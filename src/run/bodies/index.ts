/** Which body a run lives in. */
import { unreachable } from '../../assert.ts'
import { DEFAULT_NETWORK_NAME } from '../../host/virtual/network.ts'
import type { Plan } from '../../scenario/plan.ts'
import { iterationVus } from '../k6/iterations-vus.ts'
import type { OpenBody } from './body.ts'
import type { RunOptions } from '../options.ts'

export type { Abandoned, Body, OpenBody } from './body.ts'

/** Loaded when chosen: a run under Node needs neither k6's bundler nor the fake crew's model. */
export async function bodyOf({ engine = 'node', workers = 1 }: RunOptions): Promise<OpenBody> {
  switch (engine) {
    case 'node':
      if (workers > 1) return (await import('./workers.ts')).openWorkersBody
      return (await import('./node.ts')).openNodeBody
    case 'virtual':
      return (await import('./virtual.ts')).openVirtualBody
    case 'k6':
      return (await import('./k6.ts')).openK6Body
    default:
      return unreachable(engine)
  }
}

/** `node, 2 workers`; `virtual, network loopback`. */
export function engineWords(options: RunOptions, plan: Plan): string {
  const { engine = 'node', workers = 1, network, k6Mode } = options
  if (engine === 'k6' && k6Mode === 'iterations')
    return iterationWords(iterationVus(plan, options.k6Vus))
  if (engine === 'virtual') return `virtual, network ${network ?? DEFAULT_NETWORK_NAME}`
  return workers > 1 ? `${engine}, ${workers} workers` : engine
}

/** Measured: a VU holds a copy of script and engine. */
const VU_MEGABYTES = 1

function iterationWords(vus: number): string {
  return `k6, an iteration for each execution, ${vus} VUs (some ${vus * VU_MEGABYTES} MB)`
}
