/**
 * Clients as the public writes them, which know nothing of this project, work unchanged against the
 * dialect that they read.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FakeCrew } from '../../fake-crew/index.ts'
import { startFakeCrew } from '../../fake-crew/index.ts'
import { written } from './sample-profile.ts'

const WAIT_MS = 5
const ATTEMPTS = 150

const sleep = async (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** All that a client reads of the answers, which it trusts as the public's own scripts do. */
async function json<Answers>(response: Response | Promise<Response>): Promise<Answers> {
  return (await (await response).json()) as Answers
}

interface DocumentedAnswers {
  inputs: string[]
  kickoff_id: string
  status: string
  progress: { completed_tasks: number; total_tasks: number }
  result: { output: string }
  error: string
  message: string
}

interface StateAnswers {
  kickoff_id: string
  state?: string
  status?: string
  result: string | null
  result_json: unknown
}

interface ProgressAnswers {
  kickoff_id: string
  state: string
  progress: { completed: number; total: number } | null
}

/**
 * Follows the documented workflow to the letter: inputs, kickoff, status until `completed` or
 * `error`.
 */
async function documentedClient(base: string, token: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const { inputs } = await json<DocumentedAnswers>(fetch(`${base}/inputs`, { headers }))
  const values = Object.fromEntries(inputs.map((name) => [name, `my ${name}`]))
  const body = JSON.stringify({ inputs: values })
  const kickoff = await fetch(`${base}/kickoff`, { method: 'POST', headers, body })
  if (!kickoff.ok) throw new Error((await json<DocumentedAnswers>(kickoff)).message)
  const { kickoff_id: id } = await json<DocumentedAnswers>(kickoff)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await json<DocumentedAnswers>(fetch(`${base}/status/${id}`, { headers }))
    if (answer.status === 'completed') return answer.result.output
    if (answer.status === 'error') throw new Error(answer.error)
    if (answer.status === 'running') {
      const { completed_tasks: done, total_tasks: total } = answer.progress
      if (!(done <= total)) throw new Error('more done than there is')
    }
    await sleep(WAIT_MS)
  }
  throw new Error('gave up')
}

/**
 * As most public clients are: reads `state` alone, without regard to case, and takes `result` or
 * `result_json`.
 */
async function stateClient(base: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const start = await fetch(new URL('/kickoff', base), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: { topic: 'tea', audience: 'all' }, meta: {} }),
  })
  const { kickoff_id: id } = await json<StateAnswers>(start)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const data = await json<StateAnswers>(fetch(new URL(`/status/${id}`, base), { headers }))
    const state = data.state?.toLowerCase()
    if (state === 'success') return data.result ?? JSON.stringify(data.result_json)
    if (state === 'failed') throw new Error(data.status ?? 'failed')
    await sleep(WAIT_MS)
  }
  throw new Error('gave up')
}

/** Compares `state` in upper case and counts on `progress` when it is there. */
async function progressClient(base: string, token: string): Promise<number> {
  const get = async (path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const response = await fetch(base + path, { ...init, headers })
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`)
    return json<ProgressAnswers>(response)
  }
  const inputs = { topic: 'tea', audience: 'all' }
  const started = await get('/kickoff', { method: 'POST', body: JSON.stringify({ inputs }) })
  let share = 0
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { state, progress } = await get(`/status/${started.kickoff_id}`)
    if (progress !== null) share = Math.max(share, progress.completed / progress.total)
    if (state === 'SUCCESS' || state === 'FAILED' || state === 'REVOKED') return share
    await sleep(WAIT_MS)
  }
  throw new Error('gave up')
}

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

describe('a crew that completes', () => {
  test('is read by a client of the documented shape', async () => {
    crew = await startFakeCrew({ profile: profile(0), dialect: 'interface' })
    await expect(documentedClient(crew.url, crew.token)).resolves.toContain('my topic')
    expect(crew.ledger()).toMatchObject([{ outcome: 'completed' }])
  })

  test.each([
    ['in lower case', stateClient],
    ['in upper case', progressClient],
  ])('is read by a client that polls `state` %s', async (_, client) => {
    crew = await startFakeCrew({ profile: profile(0), dialect: 'platform' })
    const result = await client(crew.url, crew.token)
    expect(result === 1 || String(result).includes('tea')).toBe(true)
    expect(crew.ledger()).toMatchObject([{ outcome: 'completed' }])
  })
})

describe('a crew that fails', () => {
  test('tells it to a client of the documented shape', async () => {
    crew = await startFakeCrew({ profile: profile(1), dialect: 'interface' })
    await expect(documentedClient(crew.url, crew.token)).rejects.toThrow('no tea left')
  })

  test('tells it to a client that polls `state`', async () => {
    crew = await startFakeCrew({ profile: profile(1), dialect: 'platform' })
    await expect(stateClient(crew.url, crew.token)).rejects.toThrow('no tea left')
  })
})

describe('the two dialects are told apart', () => {
  beforeEach(async () => {
    crew = await startFakeCrew({ profile: profile(0), dialect: 'interface' })
  })

  test('a wrong token is a 401 that a client can read', async () => {
    await expect(progressClient(crew.url, 'wrong')).rejects.toThrow('HTTP 401')
  })

  test('a client that waits for `state` never learns of the end that `status` tells', async () => {
    await expect(stateClient(crew.url, crew.token)).rejects.toThrow('gave up')
    expect(crew.ledger()).toMatchObject([{ outcome: 'completed' }])
  })
})
