/** Commands of the user's and all that they start: none outlives whoever started them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { signalTree } from '../../../../src/study/frame/conduct/shell-command.ts'
import { temporaryFolder } from '../../../support/cli.ts'

const MODULE = new URL('../../../../dist/src/study/frame/conduct/shell-command.js', import.meta.url)
  .href
const PATIENT = { timeout: 20_000, interval: 50 }

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('whoever starts a command is killed: the command ends, though it hears no SIGTERM', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'pids')
  const deaf = `trap '' TERM; sleep 60 & echo $$ $! > ${file}.new; mv ${file}.new ${file}; wait`
  const starter = `
    import { spawnKept } from '${MODULE}'
    spawnKept(${JSON.stringify(deaf)}, 300, { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] })
    setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', starter], {
    stdio: 'inherit',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const pids = await vi.waitFor(async () => (await readFile(file, 'utf8')).split(' '), PATIENT)
  expect(pids.map(Number).map(isAlive)).toEqual([true, true])
  child.kill('SIGKILL')
  await once(child, 'exit')
  await vi.waitFor(() => expect(pids.map(Number).map(isAlive)).toEqual([false, false]), PATIENT)
})

test('Windows ends a tree of processes by taskkill', async () => {
  await using folder = await temporaryFolder()
  const told = join(folder.path, 'told')
  const program = join(folder.path, 'taskkill')
  await writeFile(program, `#!/bin/sh\necho "$@" > ${told}\n`)
  await chmod(program, 0o755)
  vi.stubEnv('PATH', folder.path)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(signalTree(4_711, 'SIGTERM', 'win32')).toBe(true)
  expect(await readFile(told, 'utf8')).toBe('/pid 4711 /t /f\n')
  await writeFile(program, '#!/bin/sh\nexit 128\n')
  expect(signalTree(4_711, 'SIGKILL', 'win32')).toBe(false)
})
