/** What the command line needs of the world, so that the whole program is one function of it. */

export interface Output {
  write(text: string): void
  isTerminal: boolean
  /** Characters a line; 80 where unknown. */
  width: number
}

export interface Io {
  /** What was typed after the program's name. */
  args: readonly string[]
  stdout: Output
  stderr: Output
  env: Readonly<Record<string, string | undefined>>
  /** A line typed at the prompt; null without a terminal. */
  ask(question: string): Promise<string | null>
  /** Calls `handler` at every SIGINT or SIGTERM until the returned function is called. */
  onInterrupt(handler: (signal: 'SIGINT' | 'SIGTERM') => void): () => void
  /**
   * Calls `handler` with what is thrown where nobody takes it, until the returned function is
   * called; without one the process ends.
   */
  onFailure(handler: (error: unknown) => void): () => void
  /**
   * Resolves when the parent that started this process is gone; never, when it was not tied to one.
   */
  parentGone: Promise<void>
}

/** Colour when this is a terminal and nobody asked for none (https://no-color.org). */
export function wantsColor(io: Io, output: Output): boolean {
  const { NO_COLOR: noColor, FORCE_COLOR: force } = io.env
  if (noColor !== undefined && noColor !== '') return false
  if (force !== undefined && force !== '' && force !== '0') return true
  return output.isTerminal
}
