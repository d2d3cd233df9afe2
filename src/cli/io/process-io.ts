/** The real process as the environment of the command line. */
import type { Io } from './io.ts'
import type { LastResort } from './last-resort.ts'
import { outputOf } from './output.ts'
import { typedAt } from './prompt.ts'
import type { Signal } from './signals.ts'
import { handledSignals, isFromNpx, npxOf } from './signals.ts'

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

/** Watching the parent does not keep this process alive. */
async function parentGone(): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) {
      process.once('disconnect', () => resolve())
      process.channel?.unref()
    }
    if (isFromNpx(process.env)) {
      const first = npxOf()
      setInterval(() => npxOf() !== first && resolve(), LOOK_EVERY_MS).unref()
    }
  })
}

const LOOK_EVERY_MS = 500

async function ask(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null
  const terminal = { input: process.stdin, output: process.stderr }
  return typedAt(terminal, question, () => process.emit('SIGINT'))
}

function onInterrupt(handler: (signal: Signal) => void): () => void {
  const handlers = handledSignals().map((signal) => ({ signal, handle: () => handler(signal) }))
  for (const { signal, handle } of handlers) process.on(signal, handle)
  return () => {
    for (const { signal, handle } of handlers) process.off(signal, handle)
  }
}
