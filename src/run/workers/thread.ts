/**
 * The program of a worker thread: executes the run's orders and reports. An error in it ends only
 * this thread.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { assert, unreachable } from '../../base/assert.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import { planFrom } from '../../scenario/portable.ts'
import { scenarioOf } from '../scenario/load.ts'
import type { Instance } from './instance.ts'
import { openInstance } from './instance.ts'
import type { Assignment, Order, Report } from './messages.ts'

assert(parentPort !== null, 'this program runs in a worker thread')
const port = parentPort
const assignment = workerData as Assignment

function say(report: Report): void {
  port.postMessage(report)
}

async function loadPlan(): Promise<Plan> {
  const { bundle, plan } = assignment
  return planFrom(plan, bundle === null ? null : await scenarioOf(bundle))
}

/** Any other exception is uncaught, and ends the thread with its message. */
function explain(error: unknown): void {
  if (!(error instanceof UserError)) throw error
  say({ kind: 'mistaken', mistakes: error.mistakes })
}

let instance: Instance | null = null

async function obey(order: Order, plan: Plan): Promise<void> {
  if (order.kind === 'open') {
    instance = await openInstance(plan, assignment, order, say)
    say({ kind: 'opened' })
    return
  }
  assert(instance !== null, `told to ${order.kind} before it was opened`)
  switch (order.kind) {
    case 'begin':
      instance.begin(order.zero)
      break
    case 'stop':
      instance.stop(order.how, order.reason)
      break
    default:
      unreachable(order)
  }
}

try {
  const plan = await loadPlan()
  port.on('message', (order: Order) => void obey(order, plan).catch(explain))
  say({ kind: 'loaded' })
} catch (error) {
  explain(error)
}
