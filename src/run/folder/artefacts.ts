/**
 * Files that are written together land together: all of them or none, whoever else writes there at
 * the same time, and even if the process is killed meanwhile.
 */
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from './lock.ts'
import { makeFolder } from './make.ts'
import { messageOf } from '../../base/text.ts'

/** Files by name; the names in `remove` go when the others land. */
interface Artefacts {
  files: Readonly<Record<string, string>>
  remove?: readonly string[]
}

/** Files on their way: a folder of this name is not complete, and is removed. */
const STAGED = '.staged-'
/** All files are there and wait for their last rename: a folder of this name is never given up. */
const LANDING = '.landing-'
/** In a landing folder, the names to be removed, as JSON. */
const REMOVED = '.removed'
/** Others write for some milliseconds. */
const PATIENCE_MS = 10_000

/**
 * Writes the files into a folder of their own, which one rename declares complete, and then moves
 * them into place. If the process is killed after that rename, the next call for the folder, or
 * `landArtefacts`, moves the rest. A folder that was removed meanwhile is created again. A function
 * makes the set while nobody else writes there. Rejects with the message of the first failure; the
 * folder then has its former files.
 */
export async function writeArtefacts(
  folder: string,
  set: Artefacts | (() => Promise<Artefacts>),
): Promise<void> {
  await makeFolder(folder)
  const lock = await lockFolder(folder, { as: 'writer', patienceMs: PATIENCE_MS })
  try {
    await landAll(folder)
    const { files, remove = [] } = typeof set === 'function' ? await set() : set
    await demandNoFolders(folder, Object.keys(files))
    const staged = await mkdtemp(join(folder, STAGED))
    try {
      for (const [name, content] of Object.entries(files)) {
        await writeFile(join(staged, name), content).catch((error: Error) => {
          throw new Error(`${name}: ${error.message}`, { cause: error })
        })
      }
      if (remove.length > 0) await writeFile(join(staged, REMOVED), JSON.stringify(remove))
      await rename(staged, staged.replace(STAGED, LANDING))
    } catch (error) {
      await rm(staged, { recursive: true, force: true }).catch(() => {})
      throw error
    }
    await landAll(folder)
  } finally {
    await lock.release()
  }
}

/** A folder in place of a file would stop the set half-way. */
async function demandNoFolders(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (found?.isDirectory() === true) throw new Error(`${name}: a folder is in its place`)
  }
}

/**
 * Moves files into place that a killed process had completed. Whoever reads files that belong
 * together calls it first. Does nothing for a folder without such files, or that does not exist.
 * Rejects with the error of the file system.
 */
export async function landArtefacts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  if (!names.some((name) => name.startsWith(LANDING))) return
  const lock = await lockFolder(folder, { as: 'writer', patienceMs: PATIENCE_MS })
  try {
    await landAll(folder)
  } finally {
    await lock.release()
  }
}

/** Only under the lock: what is staged there belongs to no living process. */
async function landAll(folder: string): Promise<void> {
  const names = await readdir(folder)
  for (const name of names.filter((each) => each.startsWith(LANDING))) {
    await land(folder, join(folder, name))
  }
  for (const name of names.filter((each) => each.startsWith(STAGED))) {
    await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function land(folder: string, landing: string): Promise<void> {
  const names = await readdir(landing)
  for (const name of names.filter((each) => each !== REMOVED)) {
    await rename(join(landing, name), join(folder, name))
  }
  if (names.includes(REMOVED)) {
    const removed = JSON.parse(await readFile(join(landing, REMOVED), 'utf8')) as string[]
    for (const name of removed) await rm(join(folder, name), { force: true })
  }
  await rm(landing, { recursive: true, force: true })
}

/**
 * Neither a full disk nor a report that cannot be made discards the verdict: returns the message of
 * the failure, or null.
 */
export async function tryArtefacts(
  folder: string,
  files: () => Readonly<Record<string, string>>,
): Promise<string | null> {
  try {
    await writeArtefacts(folder, { files: files() })
    return null
  } catch (error) {
    return messageOf(error)
  }
}
