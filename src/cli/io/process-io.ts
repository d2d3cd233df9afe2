/** The real process as the environment of the command line. */
import { createInterface } from 'node:readline/promises'
import type { Io } from './io.ts'
import type { LastResort } from './last-resort.ts'
import { outputOf } from './output.ts'

export function processIo(lastResort: LastResort): Io {
  return {
    args: process.argv.slice(2),
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    env: process.env,
    ask,
    onInterrupt,
    onFailure: (handler) => lastResort.watch(handler),
    parentGone,
  }
}

/** Watching the channel to the parent does not keep this process alive. */
const parentGone = new Promise<void>((resolve) => {
  if (!process.connected) return
  process.once('disconnect', () => resolve())
  process.channel?.unref()
})

async function ask(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await prompt.question(question)
  prompt.close()
  return answer
}

function onInterrupt(handler: (signal: 'SIGINT' | 'SIGTERM') => void): () => void {
  const interrupt = (): void => handler('SIGINT')
  const terminate = (): void => handler('SIGTERM')
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', terminate)
  return () => {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', terminate)
  }
}
