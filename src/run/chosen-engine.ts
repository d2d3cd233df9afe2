/** The engine that a run has chosen; only this one is asked for its demands. */
import { unreachable } from '../base/assert.ts'
import { isLoopback } from '../base/loopback.ts'
import { UserError } from '../base/mistakes.ts'
import type { Plan } from '../scenario/plan.ts'
import { parseTarget } from './target/chosen-place.ts'
import { DEFAULT_NETWORK_NAME } from '../host/virtual/network.ts'
import { k6Terms } from './k6/demands.ts'
import type { RunOptions } from './options.ts'
import { engineOf } from './options.ts'
import type { ChosenEngine } from './bodies/body.ts'
import type { OpenedMix, PreparedPart, Together } from './bodies/together.ts'

export function chosenEngine(options: Pick<RunOptions, 'engine'>): ChosenEngine {
  const engine = engineOf(options)
  switch (engine.kind) {
    case 'node':
      return {
        words: 'node',
        demand: demandReachable,
        open: async (plan, options) =>
          (await import('./bodies/node.ts')).openNodeBody(plan, options),
      }
    case 'virtual':
      return {
        words: `virtual, network ${engine.network ?? DEFAULT_NETWORK_NAME}`,
        demand: ANY_PLAN,
        open: async (plan, options) =>
          (await import('./bodies/virtual.ts')).openVirtualBody(plan, options),
      }
    case 'k6':
      return {
        ...k6Terms(engine),
        open: async (...run) => (await import('./k6/body.ts')).openK6Body(engine, ...run),
      }
    default:
      return unreachable(engine)
  }
}

/** Throws UserError for an engine, or for a part, with which no mix can run. */
export function demandMixable({ engine }: RunOptions, parts: readonly PreparedPart[]): void {
  const { kind } = engineOf({ engine: engine ?? 'node' })
  const wrong = (problem: string, path = '', source = '--engine'): UserError =>
    new UserError({ source, path, found: kind, problem })
  if (kind === 'k6') {
    throw wrong('cannot run a mix, whose parts share one clock and one budget: use node or virtual')
  }
  if (kind === 'node') return
  const hearing = parts.find(({ plan }) => plan.webhooks !== undefined)
  if (hearing === undefined) return
  throw wrong('cannot receive pushes in a mix: use --engine node', 'webhooks', hearing.name)
}

export async function openMix(
  parts: readonly PreparedPart[],
  crew: Pick<Plan, 'seed' | 'speed'>,
  { together, engine }: { together: Together; engine: RunOptions['engine'] },
): Promise<OpenedMix> {
  if (engineOf({ engine: engine ?? 'node' }).kind === 'node') {
    return (await import('./bodies/node.ts')).openNodeMix(parts, crew, together)
  }
  return (await import('./bodies/virtual.ts')).openVirtualMix(parts, crew, together)
}

/** An engine without demands: it carries every plan. */
const ANY_PLAN: ChosenEngine['demand'] = () => {}

/** A crew on another machine cannot push to an address that only this one has. */
function demandReachable({ webhooks }: Plan, { target }: RunOptions): void {
  if (webhooks === undefined || webhooks.publicUrl !== null || target === undefined) return
  const { hostname } = parseTarget(target)
  if (isLoopback(hostname)) return
  const problem = `is missing: the URL at which ${hostname} reaches ${webhooks.host}`
  throw new UserError({ source: 'scenario', path: 'webhooks.publicUrl', problem })
}
