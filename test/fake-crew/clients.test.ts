/**
 * Clients as the public writes them, which know nothing of this project, work unchanged against the
 * dialect that they read.
 */
import { afterEach, expect, test } from 'vitest'
import type { FakeCrew } from '../../fake-crew/index.ts'
import { startFakeCrew } from '../../fake-crew/index.ts'
import type { Dialect } from '../../src/crew/wire.ts'
import { written } from './sample-profile.ts'

const WAIT_MS = 5
const ATTEMPTS = 150

/** All that a client reads of a status, which it trusts as the public's own scripts do. */
interface StatusBody {
  status?: string
  state?: string
  progress?: { completed_tasks?: number; completed?: number } | null
  result?: { output: string } | string | null
  error?: string
}

/** What one reads as the result; undefined while it runs. Throws for a failure. */
type Reader = (told: StatusBody) => string | undefined

/** The documented workflow to the letter: inputs, kickoff, status until the end. */
async function client({ url, token }: Pick<FakeCrew, 'url' | 'token'>, read: Reader) {
  const get = async <Answer>(path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const response = await fetch(url + path, { ...init, headers })
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`)
    return (await response.json()) as Answer
  }
  const { inputs: names } = await get<{ inputs: string[] }>('/inputs')
  const inputs = Object.fromEntries(names.map((name) => [name, `my ${name}`]))
  const body = JSON.stringify({ inputs, meta: {} })
  const { kickoff_id: id } = await get<{ kickoff_id: string }>('/kickoff', { method: 'POST', body })
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const result = read(await get<StatusBody>(`/status/${id}`))
    if (result !== undefined) return result
    await new Promise((done) => setTimeout(done, WAIT_MS))
  }
  throw new Error('gave up')
}

/** Reads `status`: `completed` or `error`. */
const documented: Reader = ({ status, result, error }) => {
  if (status === 'error') throw new Error(error)
  return status === 'completed' ? (result as { output: string }).output : undefined
}

/** As most public clients do: reads `state` alone, without regard to case. */
const byState: Reader = ({ state, status, result }) => {
  if (state?.toLowerCase() === 'failed') throw new Error(status ?? 'failed')
  return state?.toLowerCase() === 'success' ? (result as string) : undefined
}

/** Compares `state` in upper case, and counts on `progress` when it is there. */
const byProgress: Reader = ({ state, progress }) =>
  state === 'SUCCESS' ? `topic: ${progress!.completed} done` : undefined

function profile(failureChance: number) {
  const task = `agent: A, duration: 15ms, output: 100B`
  return written(`
inputs: [topic, audience]
tasks:
  - { id: first, ${task} }
  - { id: second, ${task}, failure: { chance: ${failureChance}, message: 'no tea left' } }
`)
}

let crew: FakeCrew

afterEach(async () => crew.stop())

test.each<[string, Dialect, Reader]>([
  ['of the documented shape', 'interface', documented],
  ['that polls `state` in lower case', 'platform', byState],
  ['that polls `state` in upper case', 'platform', byProgress],
])('a client %s reads the result', async (_, dialect, read) => {
  crew = await startFakeCrew({ profile: profile(0), dialect })
  expect(await client(crew, read)).toContain('topic')
  expect(crew.ledger()).toMatchObject([{ outcome: 'completed' }])
})

test.each<[Dialect, Reader]>([
  ['interface', documented],
  ['platform', byState],
])('a client of the dialect %s is told of a failure', async (dialect, read) => {
  crew = await startFakeCrew({ profile: profile(1), dialect })
  await expect(client(crew, read)).rejects.toThrow('no tea left')
})

test('the dialects are told apart, and a wrong token is a 401', async () => {
  crew = await startFakeCrew({ profile: profile(0), dialect: 'interface' })
  await expect(client(crew, byState)).rejects.toThrow('gave up')
  expect(crew.ledger()).toMatchObject([{ outcome: 'completed' }])
  await expect(client({ url: crew.url, token: 'wrong' }, documented)).rejects.toThrow('HTTP 401')
})
