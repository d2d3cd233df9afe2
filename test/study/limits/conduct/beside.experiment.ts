/** Over real HTTP, on a limit that another client uses as well: that is told as such. */
import { expect, test } from 'vitest'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import { conducting } from '../../../../src/study/limits/conduct/conduct.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { askBeside } from '../../../support/targets/other-client.ts'
import { profileTelling } from '../profiles.ts'

test('somebody else is told by what the count in headers loses', { timeout: 120_000 }, async () => {
  await using folder = await temporaryFolder()
  const rule =
    '{ name: names, operations: [inputs], per: all, refusal: { retryAfter: none }, fixedWindow: { limit: 40, window: 3s } }'
  await using crew = await startFakeCrew({
    profile: await profileTelling(folder.path, 'draft-10', rule),
  })
  const stop = new AbortController()
  const other = askBeside(crew, 150, stop.signal)
  try {
    const { document } = await conductStudy(conducting, {
      operations: ['inputs'],
      sustainMs: 0,
      out: false,
      run: { target: crew.url, tokens: [crew.token] },
    })
    expect(document.findings.map(({ code }) => code)).toContain('used-by-others')
    expect(document.operations.inputs!.others).toBeGreaterThanOrEqual(2)
  } finally {
    stop.abort()
    await other
  }
})
