/** Faults of what polls say: about progress, the end and the result of an execution. */
import { z } from 'zod'
import type { Content } from '../../exchange.ts'
import { jsonContent } from '../../exchange.ts'
import { count, oneOf } from '../../schema/quantities.ts'
import type { ExecutionView } from '../../work/execution-view.ts'
import { POLLS, defineFault, needsExecutions, noParameters } from '../definition.ts'
import type { Scene } from '../effect.ts'
import { isObject } from '../../../../src/crew/json.ts'

export const backwards = defineFault({
  kind: 'backwards',
  description: 'Progress that reports this many tasks fewer than are completed.',
  reach: POLLS,
  written: z.strictObject({ tasks: count(1).prefault(1) }),
  effect: ({ tasks }) => ({
    applies: (scene) => {
      const view = viewOf(scene)
      return view?.phase === 'running' && view.completedTasks > 0
    },
    view: (view) => view.reportedAs('running', Math.max(0, view.completedTasks - tasks)),
  }),
  proxyProblem: needsExecutions,
  examples: [{ name: 'backwards', backwards: {}, chance: '2%' }],
})

const FLIPPED = ['running', 'failed'] as const

export const flip = defineFault({
  kind: 'flip',
  description: 'An end that was already reported changes to another state.',
  reach: POLLS,
  written: z.strictObject({ to: oneOf(FLIPPED).prefault('running') }),
  effect: ({ to }) => {
    // Only an end that was already reported can flip.
    const reported = new Set<number>()
    return {
      applies: (scene) => {
        const view = viewOf(scene)
        if (view === null || !isEnded(view)) return false
        const before = reported.has(view.ordinal)
        reported.add(view.ordinal)
        return before
      },
      view: (view) => flipped(view, to),
      forget: (ordinal) => reported.delete(ordinal),
    }
  },
  proxyProblem: needsExecutions,
  examples: [
    { name: 'flip', flip: {}, chance: '20%' },
    { name: 'flip to failed', flip: { to: 'failed' }, chance: '10%' },
  ],
})

function isEnded({ phase }: ExecutionView): boolean {
  return phase === 'completed' || phase === 'failed'
}

/**
 * A failed execution cannot fail again: it appears to run. An execution that another fault has
 * flipped stays as it is.
 */
function flipped(view: ExecutionView, to: (typeof FLIPPED)[number]): ExecutionView | undefined {
  if (!isEnded(view)) return undefined
  if (view.phase === 'failed') return view.reportedAs('running', view.completedTasks)
  return view.reportedAs(to, view.completedTasks - 1)
}

/** `result` is null, in either dialect. */
export const noResult = defineFault({
  kind: 'noResult',
  description: 'Completed without a result.',
  reach: POLLS,
  written: noParameters,
  effect: () => ({
    applies: (scene) => viewOf(scene)?.phase === 'completed',
    content: (content) => withResult(content, null),
  }),
  proxyProblem: needsExecutions,
  examples: [{ name: 'no result', noResult: {}, chance: '2%' }],
})

export const swap = defineFault({
  kind: 'swap',
  description: 'Completed with the result of an earlier execution.',
  reach: POLLS,
  written: noParameters,
  effect: () => ({
    applies: (scene) => viewOf(scene)?.phase === 'completed' && otherOf(scene) !== null,
    content: (content, scene) => {
      const { stage, call } = scene
      const { json } = stage.tell(otherOf(scene)!, call.nowMicros)
      return withResult(content, isObject(json) ? (json['result'] ?? null) : null)
    },
  }),
  proxyProblem: needsExecutions,
  examples: [{ name: 'swapped', swap: {}, chance: '2%' }],
})

/** The number of earlier executions that are searched for one that has completed. */
const NEIGHBOURS = 100

/** The nearest earlier execution that has completed. */
function otherOf(scene: Scene): ExecutionView | null {
  const ordinal = scene.call.ordinal ?? 0
  for (let other = ordinal - 1; other >= Math.max(0, ordinal - NEIGHBOURS); other--) {
    const view = viewOf(scene, other)
    if (view?.phase === 'completed') return view
  }
  return null
}

/** An execution as it really is: by default the one that the poll asks about; null for none. */
function viewOf(
  { call, stage }: Scene,
  ordinal: number | undefined = call.ordinal,
): ExecutionView | null {
  return ordinal === undefined ? null : stage.view(ordinal, call.nowMicros)
}

/** Replaces the result of a status answer; other answers stay as they are. */
function withResult(content: Content, result: unknown): Content {
  const { status, headers, json } = content
  if (!isObject(json) || !('result' in json)) return content
  return jsonContent(status, { ...json, result }, headers)
}
