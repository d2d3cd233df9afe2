/** Short loops that poll by a strategy, to be pasted into a client. */
import type { PollingPolicy } from '../../../scenario/polling/index.ts'
import { pythonLoop } from './python.ts'
import { typescriptLoop } from './typescript.ts'

export interface Loops {
  typescript: string
  python: string
}

export function loopsOf(policy: PollingPolicy): Loops {
  return { typescript: typescriptLoop(policy), python: pythonLoop(policy) }
}
