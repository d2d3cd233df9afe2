/**
 * Starts a crew that is not ours: `stranger.py`, which shares no code with the fake crew, and knows
 * what each execution really did.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('stranger.py', import.meta.url))

export const STRANGERS_TOKEN = 'open-sesame'

/** What differs from the settings that `stranger.py` begins with, which explains each. */
export interface StrangerSettings {
  dialect?: 'interface' | 'platform'
  tokens?: string[]
  required?: string[]
  optional?: string[]
  described?: boolean
  reserved?: string[]
  members?: string[]
  paths?: { inputs: string; kickoff: string; status: string }
  workers?: number
  scaling?: { to: number; upAfter: number; downAfter: number }
  queue?: number
  tasks?: { name: string; agent: string; mean: number; cv: number }[]
  slower?: number
  callSeconds?: number
  setUp?: number
  failing?: number
  seed?: number
  firstCall?: number
  person?: { after: number; seconds: number | null; shown: 'paused' | 'not found' }
  limit?: { requests: number; seconds: number; scope: 'path' | 'client' }
}

/** Times are seconds since the crew started. */
export interface StrangersTruth {
  now: number
  executions: {
    id: string
    inputs: Record<string, unknown>
    kickedOff: number
    begun: number | null
    ended: number | null
    askedPerson: number | null
    personAnswered: number | null
    failed: boolean
    taskSeconds: number[]
  }[]
  requests: { at: number; method: string; path: string; code: number }[]
  /** How many workers there are from each time on. */
  workers: { at: number; count: number }[]
}

export interface Stranger extends AsyncDisposable {
  url: string
  truth(): Promise<StrangersTruth>
}

/** The Python of this machine; null means skip, which is reported. Throws with `CREWLOAD_CI=1`. */
export function pythonOrSkip(tests: string): string | null {
  if (spawnSync('python3', ['--version']).status === 0) return 'python3'
  if (process.env['CREWLOAD_CI'] === '1') throw new Error('CREWLOAD_CI=1 needs python3')
  process.stderr.write(`SKIPPED ${tests}: there is no python3\n`)
  return null
}

export async function startStranger(settings: StrangerSettings = {}): Promise<Stranger> {
  const child = spawn('python3', [PROGRAM, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async (): Promise<unknown> => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error('stranger.py ended')
    return JSON.parse(value)
  }
  const { url } = (await read()) as { url: string }
  return {
    url,
    truth: async () => {
      child.stdin.write('\n')
      return (await read()) as StrangersTruth
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
