/** A crew with limits documents their refusals, and answers as documented. */
import { describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { LIMIT_STATUSES } from '../../../fake-crew/model/limits/profile.ts'
import type { LimitProfile } from '../../../fake-crew/model/limits/profile.ts'
import type { WrittenProfile } from '../../../fake-crew/model/profile.ts'
import { openApiDocument } from '../../../fake-crew/openapi/document.ts'
import { checkProfile } from '../../../fake-crew/profiles.ts'
import type { Dialect } from '../../../src/crew/wire.ts'
import { written } from '../sample-profile.ts'
import type { Judge } from './contract.ts'
import { METHODS, asServed, judgeOf } from './contract.ts'
import type { PlainRequest } from './http.ts'
import { ask } from './http.ts'

const DIALECTS: Dialect[] = ['interface', 'platform']
const KICKOFF = '{"inputs":{}}'

/** The first request of each operation passes. */
function onceAnHour(status: number): WrittenProfile {
  const yaml = `
tasks: [{ id: a, agent: A, duration: 1s }]
limits:
  rules:
    - name: once
      quota: each
      fixedWindow: { limit: 1, window: 1h, from: first hit }
      refusal: { status: ${status}, retryAfter: date }
`
  return written(yaml)
}

function rulesOf(profile: WrittenProfile): readonly LimitProfile[] {
  return checkProfile(profile, 'limited').profile.limits.rules
}

function judgeFor(dialect: Dialect, limits: readonly LimitProfile[]): Judge {
  const options = { dialect, url: 'http://127.0.0.1', inputs: [], limits }
  return judgeOf(asServed(openApiDocument(options)))
}

describe.each(DIALECTS)('dialect %s', (dialect) => {
  test.each(LIMIT_STATUSES)('a refusal with %d, of any operation', async (status) => {
    const profile = onceAnHour(status)
    const documented = judgeFor(dialect, rulesOf(profile))
    const unlimited = judgeFor(dialect, [])
    const crew = await startFakeCrew({ profile, dialect })
    try {
      const headers = { authorization: `Bearer ${crew.token}` }
      for (const path of ['/inputs', '/kickoff', '/status/unknown']) {
        const isKickoff = path === '/kickoff'
        const method = isKickoff ? 'POST' : 'GET'
        const asked: PlainRequest = { method, path, headers, body: isKickoff ? KICKOFF : null }
        await ask(crew.url, asked)
        const answer = await ask(crew.url, asked)
        expect(answer.status).toBe(status)
        expect(documented(asked, answer)).toEqual([])
        const otherwise = status === 403 || (isKickoff && status !== 529)
        expect(unlimited(asked, answer).length === 0).toBe(otherwise)
      }
    } finally {
      await crew.stop()
    }
  })

  test('an operation that no limit counts documents none', () => {
    const [rule] = rulesOf(onceAnHour(529))
    const limits = [{ ...rule!, operations: ['kickoff' as const] }]
    const { paths } = asServed(openApiDocument({ dialect, url: '', inputs: [], limits }))
    const statuses = ['/inputs', '/kickoff'].map((path) =>
      METHODS.flatMap((method) => Object.keys(paths[path]?.[method]?.responses ?? {})),
    )
    expect(statuses.map((each) => each.includes('529'))).toEqual([false, true])
  })
})
