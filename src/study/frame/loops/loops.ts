/** Short loops that poll by a strategy, to be pasted into a client. */
import { DOCUMENTED_PATHS, ID_PLACE } from '../../../crew/request.ts'
import type { PollingPolicy } from '../../../scenario/polling/index.ts'
import { pythonLoop } from './python.ts'
import { typescriptLoop } from './typescript.ts'

export interface Loops {
  typescript: string
  python: string
}

/** `path`: of a status, with `{id}` in the place of the kickoff id. */
export function loopsOf(policy: PollingPolicy, path = DOCUMENTED_PATHS.status): Loops {
  const around = path.split(ID_PLACE) as [before: string, after: string]
  return { typescript: typescriptLoop(policy, around), python: pythonLoop(policy, around) }
}
