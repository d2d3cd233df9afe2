/**
 * What the command line needs from its environment, so that the whole program is one function of
 * it.
 */
import type { LastMessage } from '../../run/fake/process.ts'

export interface Output {
  write(text: string): void
  isTerminal: boolean
  /** The number of characters per line; 80 when unknown. */
  width: number
}

export interface Io {
  /** The arguments after the program's name. */
  args: readonly string[]
  stdout: Output
  stderr: Output
  env: Readonly<Record<string, string | undefined>>
  /** The line typed at the prompt; null without a terminal. */
  ask(question: string): Promise<string | null>
  /**
   * Calls `handler` at every SIGINT, SIGTERM or SIGHUP until the returned function is called; not
   * at a SIGHUP that was ignored when the process was started.
   */
  onInterrupt(handler: () => void): () => void
  /**
   * Calls `handler` with uncaught exceptions until the returned function is called; without a
   * handler the process ends.
   */
  onFailure(handler: (error: unknown) => void): () => void
  /**
   * Resolves when the parent that started this process has ended; never, when the process is not
   * tied to a parent. `any`: it is tied to every parent, and to the parent of npx.
   */
  parentGone: (any: boolean) => Promise<void>
  /** Sends it to the process that started this one, if that opened a channel. */
  tellParent(message: LastMessage): void
}

/** Whether to use colour: on a terminal, unless the user turned it off (https://no-color.org). */
export function wantsColor(io: Io, output: Output): boolean {
  const { NO_COLOR: noColor, FORCE_COLOR: force } = io.env
  if (noColor !== undefined && noColor !== '') return false
  if (force !== undefined && force !== '' && force !== '0') return true
  return output.isTerminal
}
