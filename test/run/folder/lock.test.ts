/**
 * One process at a time works on a run folder; what a killed one left behind is in nobody's way.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { execPath, pid } from 'node:process'
import { expect, test } from 'vitest'
import { UserError } from '../../../src/base/mistakes.ts'
import { conductorIn, holderOf, holdFor, isHeld, lockFolder } from '../../../src/run/folder/lock.ts'
import { temporaryFolder } from '../../support/cli.ts'

const MACHINE = hostname().replaceAll(/[^A-Za-z0-9._-]/g, '_')

test('a folder is held until it is let go, and nothing is left', async () => {
  await using folder = await temporaryFolder()
  const hold = await lockFolder(folder.path)
  expect(await holderOf(folder.path)).toBe(`process ${pid}`)
  await hold.release()
  expect(await holderOf(folder.path)).toBeNull()
  expect(await readdir(folder.path)).toEqual([])
})

test('a process that lives keeps others out, and is named', async () => {
  await using folder = await temporaryFolder()
  const other = spawn(execPath, ['-e', HOLDING, folder.path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(other.stdout, 'data')
  await expect(lockFolder(folder.path)).rejects.toThrow(`process ${other.pid} is still using it`)
  await expect(lockFolder(folder.path)).rejects.toBeInstanceOf(UserError)
  other.kill('SIGKILL')
  await once(other, 'exit')
  const hold = await lockFolder(folder.path)
  expect(await readdir(folder.path)).toHaveLength(1)
  await hold.release()
})

test('a folder that cannot be written to is the user’s to mend', async () => {
  await using folder = await temporaryFolder()
  const held = lockFolder(join(folder.path, 'gone'))
  await expect(held).rejects.toBeInstanceOf(UserError)
  await expect(held).rejects.toThrow('cannot be written to: ENOENT')
})

/** Holds a folder as another crewload would, until it is killed. */
const HOLDING = `
  const { readFileSync, writeFileSync } = require('node:fs')
  const [, ...fields] = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
  const machine = require('node:os').hostname().replaceAll(/[^A-Za-z0-9._-]/g, '_')
  writeFileSync(process.argv[1] + '/.held-by-' + machine + '-' + process.pid + '-' + fields[18], '')
  console.log('held')
  setInterval(() => {}, 1000)
`

test('a process that was given the number of a dead one does not hold for it', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, `.held-by-${MACHINE}-${pid}-1`), '')
  expect(await holderOf(folder.path)).toBeNull()
  expect(await readdir(folder.path)).toEqual([])
})

test('what was asked of a dead process goes with its lock, and no other request', async () => {
  await using folder = await temporaryFolder()
  const live = await lockFolder(folder.path)
  const kept = [basename(live.path), `${basename(live.path)}.0f.now`]
  const dead = `.held-by-${MACHINE}-${pid}-1`
  for (const name of [dead, `${dead}.a1.drain`, `${dead}.0f.now`, kept[1]!]) {
    await writeFile(join(folder.path, name), '')
  }
  expect(await holderOf(folder.path)).toBe(`process ${pid}`)
  expect((await readdir(folder.path)).toSorted()).toEqual(kept)
  await live.release()
})

test('of a process on another machine nothing is known: it is named, with what to do', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, '.held-by-else-where-17-123'), '')
  await expect(lockFolder(folder.path)).rejects.toThrow(
    'process 17 of else-where (if it is gone, remove .held-by-else-where-17-123) is still using it',
  )
  expect(await readdir(folder.path)).toEqual(['.held-by-else-where-17-123'])
})

test('the process that decides is found, and its child is not taken for it', async () => {
  await using folder = await temporaryFolder()
  const child = spawn(execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const ofChild = await holdFor(folder.path, child.pid!)
  const conductor = async () => conductorIn(await readdir(folder.path))
  expect([await isHeld(folder.path), await conductor()]).toEqual([true, null])
  const hold = await lockFolder(folder.path, { as: 'writer' })
  expect(await conductor()).toBeNull()
  await hold.release()
  await ofChild.release()
  const own = await lockFolder(folder.path)
  expect([await isHeld(folder.path), await conductor()]).toEqual([true, basename(own.path)])
  await own.release()
  child.kill('SIGKILL')
})

test('a lock of a dead process is seen through, and stays for those whom it warns', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, `.held-by-${MACHINE}-${pid}-1`), '')
  expect(await isHeld(folder.path)).toBe(false)
  expect(await readdir(folder.path)).toHaveLength(1)
  await writeFile(join(folder.path, '.held-by-another-machine-1-1'), '')
  expect(await isHeld(folder.path)).toBe(true)
})
