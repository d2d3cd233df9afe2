/** A tool of the server: what it is called with, what it returns, and what it does. */
import type { z } from 'zod'
import type { LiveProgress } from '../../report/run/terminal/progress.ts'
import type { RunControl } from '../../run/options.ts'
import type { Allowed } from './allowed.ts'

/** One call, and what it has of the server. */
export interface ToolCall {
  allowed: Allowed
  /** Aborts when the client cancels the call, or the server ends: kickoffs then stop. */
  signal: AbortSignal
  /** Runs in progress, of all calls, with their controls once their clocks have started. */
  running: Set<{ control: RunControl | null }>
  /** Collects what is worth knowing beside the result. */
  notes: string[]
  progress: (live: LiveProgress) => void
}

export interface ToolDefinition {
  name: string
  /** For the program that chooses a tool. */
  description: string
  input: z.ZodObject
  output: z.ZodObject
  /** Whether it sends nothing and writes nothing. */
  isReading: boolean
  /** `given` is what `input` makes of the arguments. */
  act(given: object, call: ToolCall): Promise<object>
}
