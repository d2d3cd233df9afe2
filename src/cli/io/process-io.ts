/** The real process as the environment of the command line. */
import type { Io, Output } from './io.ts'
import { ADOPTED, aboveNpx, handledSignals, isFromNpx, npxOf, parentOf } from './signals.ts'
import { createInterface } from 'node:readline/promises'
import { visible } from '../../base/visible.ts'
import { EXIT } from '../exit-codes.ts'
import type { LastMessage } from '../../run/fake/process.ts'

/** Called at the start of the program: a parent may end before a command watches it. */
export function processIo(lastResort: LastResort): Io {
  const isNpx = isFromNpx(process.env)
  const starter = watched(isNpx ? aboveNpx : parentOf)
  const npx = isNpx ? watched(npxOf) : null
  return {
    args: process.argv.slice(2),
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    env: process.env,
    ask,
    onInterrupt,
    onFailure: (handler) => lastResort.watch(handler),
    parentGone: async (any) => parentGone([...(any ? [starter] : []), ...(npx ? [npx] : [])]),
    tellParent,
  }
}

/** Watching the parent does not keep this process alive. */
async function parentGone(starters: readonly WatchedProcess[]): Promise<void> {
  return new Promise((resolve) => {
    setInterval(() => starters.some((isGone) => isGone()) && resolve(), LOOK_EVERY_MS).unref()
    // There is none without a channel. A parent may die before anybody listens here.
    if ('connected' in process && !process.connected) resolve()
    if (process.connected) {
      process.once('disconnect', () => resolve())
      process.channel?.unref()
    }
  })
}

/** Later says whether the process that `read` names now has ended. */
function watched(read: () => string): WatchedProcess {
  const first = read()
  return () => first === ADOPTED || read() !== first
}

type WatchedProcess = () => boolean

const LOOK_EVERY_MS = 500

async function ask(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null
  const terminal = { input: process.stdin, output: process.stderr }
  return typedAt(terminal, question, () => process.emit('SIGINT'))
}

function onInterrupt(handler: () => void): () => void {
  const handle = (): void => handler()
  for (const signal of handledSignals()) process.on(signal, handle)
  return () => {
    for (const signal of handledSignals()) process.off(signal, handle)
  }
}

/** Assumed when an output does not report its width. */
const WIDTH_UNKNOWN = 80

type Stream = Pick<NodeJS.WriteStream, 'columns' | 'isTTY' | 'write'>

export function outputOf(stream: Stream): Output {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY,
    get width() {
      return widthOf(stream)
    },
  }
}

/** A pseudo-terminal whose size was never set reports 0. */
function widthOf({ columns }: Stream): number {
  return columns === undefined || columns === 0 ? WIDTH_UNKNOWN : columns
}

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

const MOST_SHOWN = 3
const MOST_CHARACTERS = 4_000

export class LastResort {
  /**
   * Whether an exception was caught; the process then ends with `EXIT.bug`, however the command
   * ended.
   */
  happened = false
  readonly #watching = new Set<(error: unknown) => void>()
  #count = 0

  /** Handles uncaught exceptions of this process from now on. */
  guard(): void {
    process.on('uncaughtException', (error) => this.#caught(error))
  }

  /** `handler` must end the command, and must not throw. The returned function removes it. */
  watch(handler: (error: unknown) => void): () => void {
    this.#watching.add(handler)
    return () => this.#watching.delete(handler)
  }

  #caught(error: unknown): void {
    this.happened = true
    if (this.#count++ < MOST_SHOWN) tellFailure(error)
    if (this.#watching.size === 0) process.exit(EXIT.bug)
    for (const handler of this.#watching) handler(error)
  }
}

/**
 * The exit code is not 1, which means "a threshold was missed": a CI job must not mistake our own
 * failure for a regression. `problem` says what the error means, where that is known.
 */
export function tellFailure(error: unknown, problem: string | null = null): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const head = 'crewload itself failed; please report this, unless your scenario caused the error:'
  const words = problem ?? `${head}\n${visible(stack.slice(0, MOST_CHARACTERS))}`
  process.stderr.write(`crewload: ${words}\n`)
  tellParent({ kind: 'failure', cause: problem ?? String(error), words })
}

/** It is no error when the parent no longer listens. */
function tellParent(message: LastMessage): void {
  process.send?.(message, undefined, undefined, () => {})
}
