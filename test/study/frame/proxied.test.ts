/** A study behind a proxy: a fake crew takes whole URLs, as a proxy on the way to it would. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { renderTerminal } from '../../../src/report/frame/render/terminal.ts'
import { conducting } from '../../../src/study/limits/conduct/conduct.ts'
import { limits } from '../../../src/study/limits/study.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { conductStudy } from '../../../src/study/frame/conduct/conduct.ts'

test('its document and every report name the proxy, without its password', async () => {
  await using place = await temporaryFolder()
  const crew = await startFakeCrew({ profile: 'fast' })
  const { host, origin } = new URL(crew.url)
  const { document, folder } = await conductStudy(conducting, {
    operations: ['inputs'],
    maxRequests: 20,
    sustainMs: 0,
    out: place.path,
    run: {
      target: 'http://crew.invalid',
      env: { HTTP_PROXY: `http://owner:sesame@${host}` },
      tokens: [crew.token],
    },
  })
  await crew.stop()
  expect(document.proxy).toBe(origin)
  expect(document.operations.inputs?.triedPerSecond).toBeGreaterThan(1)
  const options = { color: false, width: 100, reportPath: null }
  expect(renderTerminal(limits.report(document), options)).toContain(
    `http://crew.invalid, through the proxy ${origin}`,
  )
  for (const [file, words] of [
    ['summary.md', `\`http://crew.invalid\` through \`${origin}\``],
    ['report.html', `<dt>Proxy</dt>`],
  ] as const) {
    const text = await readFile(join(folder!, file), 'utf8')
    expect(text).toContain(words)
    expect(text).not.toContain('sesame')
  }
})
