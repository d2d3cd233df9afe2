/** Which body a run lives in. */
import { plural } from '../../analysis/metrics/format-metric.ts'
import { unreachable } from '../../base/assert.ts'
import { DEFAULT_NETWORK_NAME } from '../../host/virtual/network.ts'
import { vusOf } from '../k6/demand.ts'
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

/** `node, 2 workers`; `virtual, network loopback`; `k6, 4 VUs in 2 processes`. */
export function engineWords(options: RunOptions): string {
  const { engine = 'node', workers = 1, network } = options
  if (engine === 'k6') return k6Words(options)
  if (engine === 'virtual') return `virtual, network ${network ?? DEFAULT_NETWORK_NAME}`
  return workers > 1 ? `${engine}, ${workers} workers` : engine
}

function k6Words(options: RunOptions): string {
  const told = plural(vusOf(options), 'VU')
  const { k6Instances = 1 } = options
  return k6Instances === 1 ? `k6, ${told}` : `k6, ${told} in ${k6Instances} processes`
}
