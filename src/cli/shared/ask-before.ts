/** Asks for consent before anything is sent to a real deployment. */
import { isLoopback } from '../../base/loopback.ts'
import { isPaid } from '../../run/target/paid.ts'
import { parseTarget } from '../../run/target/chosen-place.ts'
import type { Io } from '../io/io.ts'

/**
 * Whether to continue: with a fake crew on this machine always, elsewhere after `--yes` or a typed
 * yes. `shown` is what the question is about; for a deployment it is printed on stderr before the
 * question. On loopback, without a terminal to ask at, the budget that every deployment needs
 * counts as the yes: scripts start their own targets there.
 *
 * `unasked`: the first request must find the target's limits untouched, so that a target on
 * loopback is asked what it is only when a person is there to be asked too.
 */
export async function askBefore(
  question: string,
  { target, yes }: { target?: string | undefined; yes?: boolean | undefined },
  io: Io,
  { shown = '', unasked = false }: { shown?: string; unasked?: boolean } = {},
): Promise<boolean> {
  if (target === undefined) return true
  const place = parseTarget(target)
  const isLocal = isLoopback(place.hostname)
  if (isLocal && unasked && (yes === true || !io.stderr.isTerminal)) return true
  if (!(await isPaid(place, io.env))) return true
  io.stderr.write(shown)
  if (yes === true) return true
  const answer = await io.ask(`${question} [y/N] `)
  if (answer !== null) return /^y(es)?$/i.test(answer.trim())
  if (isLocal) return true
  io.stderr.write('crewload: not interactive: pass --yes to confirm\n')
  return false
}
