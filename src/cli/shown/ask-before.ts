/** Asks for consent before anything is sent to a real deployment. */
import { isLoopback } from '../../base/loopback.ts'
import { parseTarget } from '../../run/target/target.ts'
import type { Io } from '../io/io.ts'
import type { LoadOptions } from '../flags/definitions.ts'

/**
 * Whether to continue: on this machine always, elsewhere after `--yes` or a typed yes. `shown` is
 * what the question is about; for a deployment it is printed on stderr before the question.
 */
export async function askBefore(
  question: string,
  { target, yes }: Pick<LoadOptions, 'target' | 'yes'>,
  io: Io,
  shown = '',
): Promise<boolean> {
  if (target === undefined || isLoopback(parseTarget(target).hostname)) return true
  io.stderr.write(shown)
  if (yes === true) return true
  const answer = await io.ask(`${question} [y/N] `)
  if (answer === null) io.stderr.write('crewload: not interactive: pass --yes to confirm\n')
  return answer !== null && /^y(es)?$/i.test(answer.trim())
}
