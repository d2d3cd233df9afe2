/** A question at a terminal. */
import { createInterface } from 'node:readline/promises'

export interface Terminal {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
}

/**
 * The line typed, empty at Ctrl-D. A terminal gives Ctrl-C to the prompt as a key: `onInterrupt` is
 * called when the terminal is as it was before, and the line is empty too.
 */
export async function typedAt(
  terminal: Terminal,
  question: string,
  onInterrupt: () => void,
): Promise<string> {
  const prompt = createInterface({ ...terminal, terminal: true })
  prompt.once('SIGINT', () => {
    prompt.close()
    onInterrupt()
  })
  const answer = new Promise<string>((resolve) => {
    prompt.once('close', () => resolve(''))
    // It rejects at Ctrl-D.
    prompt.question(question).then(resolve, () => resolve(''))
  })
  return answer.finally(() => prompt.close())
}
