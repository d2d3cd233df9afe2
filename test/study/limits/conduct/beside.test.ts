/** Over real HTTP, on a limit that another client uses as well: that is told as such. */
import { describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import { SUSPECTS } from '../../../../src/study/limits/analyse/infer/doubts.ts'
import { conducting } from '../../../../src/study/limits/conduct/conduct.ts'
import type { LimitsDocument } from '../../../../src/study/limits/document.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { askBeside } from '../../../support/targets/other-client.ts'
import { profileTelling } from '../profiles.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

const SOMEBODY_ELSE = expect.stringContaining('somebody else uses this limit')

/** The study, while another client asks with the same token, `everyMs` after each answer. */
async function studied(
  headers: string,
  limiter: string,
  everyMs: number | null,
): Promise<LimitsDocument> {
  await using folder = await temporaryFolder()
  const rule = `{ name: names, operations: [inputs], per: all, refusal: { retryAfter: none }, ${limiter} }`
  const crew = await startFakeCrew({ profile: await profileTelling(folder.path, headers, rule) })
  const stop = new AbortController()
  const other = everyMs === null ? null : askBeside(crew, everyMs, stop.signal)
  try {
    const { document } = await conductStudy(conducting, {
      operations: ['inputs'],
      sustainMs: 0,
      out: false,
      run: { target: crew.url, tokens: [crew.token] },
    })
    return document
  } finally {
    stop.abort()
    await other
    await crew.stop()
  }
}

function messages({ findings }: LimitsDocument): string[] {
  return findings.map(({ message }) => message)
}

function isSuspected({ operations }: LimitsDocument): boolean {
  return operations.inputs!.reasons.some(({ code }) => SUSPECTS.has(code))
}

describe('a limit that headers count', () => {
  const WINDOW = 'fixedWindow: { limit: 40, window: 3s }'

  test('somebody else is told by what the count loses', { timeout: 120_000 }, async () => {
    const document = await studied('draft-10', WINDOW, 150)
    expect(messages(document)).toContainEqual(SOMEBODY_ELSE)
    expect(document.operations.inputs!.others).toBeGreaterThanOrEqual(2)
  })

  test('nobody else is told where nobody is', { timeout: 120_000 }, async () => {
    const document = await studied('draft-10', WINDOW, null)
    expect(messages(document)).not.toContainEqual(SOMEBODY_ELSE)
    expect(isSuspected(document)).toBe(false)
  })
})

describe('a limit without headers', () => {
  const BUCKET = 'tokenBucket: { rate: 5/s, capacity: 12 }'

  test('alone, another client is not suspected', { timeout: 180_000 }, async () => {
    expect(isSuspected(await studied('none', BUCKET, null))).toBe(false)
  })
})
