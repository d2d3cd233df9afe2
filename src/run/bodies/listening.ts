/** Listens for the pushes of a run, whose kickoffs then name the listener. */
import { env as processEnv } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeHost } from '../../host/node/index.ts'
import { webhookSecret, withWebhooks } from '../../host/pushes.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { Load } from '../drive.ts'
import type { RunOptions } from '../options.ts'

export interface Listening {
  /** With the webhooks of the listener among the members of its kickoffs. */
  plan: Plan
  /** What comes from now on becomes lines of the host, for the load too; before, it is dropped. */
  receive(host: NodeHost, load: Load): void
  /** After the load: waits for late pushes, unless the run was stopped or its crew dies. */
  linger(died: Promise<unknown> | null): Promise<void>
  close(): Promise<void>
}

/**
 * Null if the run listens for no pushes. Throws UserError if it cannot. `continues`: kickoffs of a
 * former process carry its token, which is stored nowhere: any is taken.
 */
export async function listening(
  plan: Plan,
  { env = processEnv, signal }: Pick<RunOptions, 'env' | 'signal'>,
  continues = false,
): Promise<Listening | null> {
  const { webhooks } = plan
  if (webhooks === undefined) return null
  const { listenForPushes } = await import('../../host/node/webhooks.ts')
  const listener = await listenForPushes(webhooks, webhookSecret(env), !continues)
  const { url, token } = listener
  return {
    plan: { ...plan, inputs: withWebhooks(plan.inputs, { url, token, hooks: webhooks.hooks }) },
    receive(host, load) {
      listener.receive(
        () => host.now(),
        (line) => {
          host.emit(line)
          load.pushed?.(line)
        },
      )
    },
    async linger(died) {
      if (signal?.aborted === true) return
      const wait = sleep(webhooks.waitMicros / MICROS_PER_MS)
      await (died === null ? wait : Promise.race([wait, died]))
    },
    close: async () => listener.close(),
  }
}
