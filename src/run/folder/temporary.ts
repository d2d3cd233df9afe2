/** Temporary folders for one piece of work; those of a killed process are removed later. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockFolder, wasAbandoned } from './lock.ts'

/** The purpose of such a folder, which is part of its name. */
type Purpose = 'journal' | 'k6' | 'scenario' | 'twin'

const NAME = /^crewload-(?:journal|k6|scenario|twin)-/

export interface TemporaryFolder {
  readonly path: string
  /** Never rejects. */
  remove(): Promise<void>
}

/**
 * Creates an empty folder among the system's temporary files, locked for this process. It first
 * removes what killed processes of this machine left there. Throws what `mkdtemp` throws, and as
 * `lockFolder`.
 */
export async function temporaryFolder(purpose: Purpose): Promise<TemporaryFolder> {
  const among = tmpdir()
  await removeAbandoned(among)
  const path = await mkdtemp(join(among, `crewload-${purpose}-`))
  await lockFolder(path)
  return { path, remove: async () => removed(path) }
}

async function removeAbandoned(among: string): Promise<void> {
  const names = await readdir(among).catch(() => [])
  for (const name of names.filter((each) => NAME.test(each))) {
    const path = join(among, name)
    if (await wasAbandoned(path).catch(() => false)) await removed(path)
  }
}

async function removed(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {})
}
