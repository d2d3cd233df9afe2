/** What a study keeps of its progress for another process to read. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readHeartbeat, startHeartbeat } from '../../../../src/study/frame/conduct/heartbeat.ts'
import type { StudyProgress } from '../../../../src/study/frame/progress.ts'
import { LIVE } from '../../../report/run/terminal/live.ts'
import { temporaryFolder } from '../../../support/cli.ts'

const PROGRESS: StudyProgress = {
  study: 'capacity',
  trial: 'confirm 1: 381 per hour',
  number: 3,
  of: 5,
  isAbout: true,
  spent: { requests: 20_000, kickoffs: 1_847 },
  budget: { requests: null, kickoffs: 20_000 },
  elapsedMs: 245_000,
  leftMs: null,
  soFar: '360 to 400/h',
  run: LIVE,
}

test('it is read as it was told, without its run, and is gone when the study ends', async () => {
  await using folder = await temporaryFolder()
  const heartbeat = startHeartbeat(folder.path)
  expect(await readHeartbeat(folder.path)).toBeNull()
  heartbeat.beat(PROGRESS)
  // Not written: it follows too soon.
  heartbeat.beat({ ...PROGRESS, number: 4 })
  await expect
    .poll(async () => readHeartbeat(folder.path), { timeout: 30_000 })
    .toEqual({ ...PROGRESS, run: null })
  await heartbeat.end()
  expect(await readdir(folder.path)).toEqual([])
})

test('a folder that is gone does not trouble the study', async () => {
  const heartbeat = startHeartbeat('/nowhere/at/all')
  heartbeat.beat(PROGRESS)
  await heartbeat.end()
  expect(await readHeartbeat('/nowhere/at/all')).toBeNull()
})

test('a damaged one is told', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, '.progress.json'), '{"study":')
  await expect(readHeartbeat(folder.path)).rejects.toThrow('.progress.json')
})
