/**
 * Builds k6 from the module pinned in this folder's go.mod; does nothing when the binary is newer
 * than its sources.
 */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exit, platform, stderr } from 'node:process'
import { fileURLToPath } from 'node:url'

const FOLDER = dirname(fileURLToPath(import.meta.url))
const BINARY = join(FOLDER, platform === 'win32' ? 'k6.exe' : 'k6')
const SOURCES = ['go.mod', 'go.sum', 'main.go'].map((name) => join(FOLDER, name))
const NO_GO = `Go is not installed, and k6 is built with it: install Go 1.26 or newer (https://go.dev/dl/),
or install k6 1.8 or newer itself (https://grafana.com/docs/k6/latest/set-up/install-k6/), on the PATH or named by K6_BIN.
`

exit(isFresh() ? say('is newer than its sources', 0) : build())

function isFresh() {
  const built = statSync(BINARY, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity
  return SOURCES.every((source) => statSync(source).mtimeMs < built)
}

/**
 * `GOTOOLCHAIN=local`: the installed Go builds it, or reports that it is too old; none is
 * downloaded.
 */
function build() {
  const args = ['build', '-buildvcs=false', '-trimpath', '-ldflags=-s -w', '-o', BINARY, '.']
  const env = { ...process.env, GOTOOLCHAIN: 'local' }
  const { error, status } = spawnSync('go', args, { cwd: FOLDER, env, stdio: 'inherit' })
  if (error?.code === 'ENOENT') {
    stderr.write(NO_GO)
    return 1
  }
  if (error !== undefined) throw error
  return status === 0 ? say('was built', 0) : say('was not built: Go says why above', status ?? 1)
}

function say(what, code) {
  stderr.write(`k6: ${BINARY} ${what}\n`)
  return code
}
