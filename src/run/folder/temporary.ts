/** Temporary folders for one piece of work; those of a killed process are removed later. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../../base/mistakes.ts'
import { lockFolder, wasAbandoned } from './lock.ts'
import { removeAtExit } from './make.ts'

/** The purpose of such a folder, which is part of its name. */
type TemporaryPurpose = 'journal' | 'k6' | 'scenario' | 'twin'

const NAME = /^crewload-(?:journal|k6|scenario|twin)-/

interface TemporaryFolder {
  readonly path: string
  /** Never rejects. */
  remove(): Promise<void>
}

/**
 * Creates an empty folder among the system's temporary files, locked for this process. It first
 * removes what killed processes of this machine left there. Throws a UserError that names TMPDIR.
 */
export async function temporaryFolder(purpose: TemporaryPurpose): Promise<TemporaryFolder> {
  const among = tmpdir()
  await removeAbandoned(among)
  const path = await mkdtemp(join(among, `crewload-${purpose}-`)).catch((error: Error) => {
    const problem =
      `no temporary folder can be made there (${error.message}): set TMPDIR to a folder that can ` +
      'be written to'
    throw new UserError({ source: 'TMPDIR', found: among, problem })
  })
  await lockFolder(path)
  const keep = removeAtExit(path)
  const remove = async (): Promise<void> => {
    keep()
    await removed(path)
  }
  return { path, remove }
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
