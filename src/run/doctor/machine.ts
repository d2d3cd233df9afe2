/** The doctor's checks of the machine: Node, cores, open files, disk. */
import { statfs } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { versions } from 'node:process'
import { UserError } from '../../base/mistakes.ts'
import { formatBytes } from '../../base/units.ts'
import { COMFORTABLE_FILES, openFilesLimit } from '../environment/open-files.ts'
import { temporaryFolder } from '../folder/temporary.ts'
import type { Diagnosis } from './diagnosis.ts'
import { K6_REMEDY, searchK6 } from '../k6/binary.ts'

const LEAST_NODE = [20, 19] as const
/**
 * With fewer files even `run` with its own engine may not start, because its modules are files too.
 */
const FEWEST_FILES = 512
const COMFORTABLE_DISK_BYTES = 1_000_000_000

export function nodeVersion(version = versions.node): Diagnosis {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const enough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])
  return {
    name: 'Node.js',
    state: enough ? 'ok' : 'problem',
    found: version,
    meaning: 'runs the harness and the fake crew',
    remedy: enough ? null : `install Node.js ${LEAST_NODE.join('.')} or newer`,
  }
}

export function cores(count = availableParallelism()): Diagnosis {
  return {
    name: 'cores',
    state: count >= 2 ? 'ok' : 'warning',
    found: String(count),
    meaning: 'one for the generator; a fake crew on the same machine needs another',
    remedy: count >= 2 ? null : 'run the target elsewhere, or expect lateness',
  }
}

/**
 * Each outstanding request uses a socket. With too few open files connections fail, which looks
 * like the target's fault.
 */
export function openFiles(limit = openFilesLimit()): Diagnosis {
  const wellOff = limit === null || limit >= COMFORTABLE_FILES
  const state = wellOff ? 'ok' : limit < FEWEST_FILES ? 'problem' : 'warning'
  return {
    name: 'open files',
    state,
    found: limit === null ? 'unlimited' : String(limit),
    meaning: 'the number of connections that can be open at once',
    remedy: wellOff ? null : `ulimit -n ${COMFORTABLE_FILES}`,
  }
}

/** Scenarios are compiled into a temporary folder. */
export async function temporaryFiles(): Promise<Diagnosis> {
  const told = {
    name: 'temporary files',
    meaning: 'scenarios are compiled into a temporary folder',
  }
  try {
    const folder = await temporaryFolder('scenario')
    await folder.remove()
    return { ...told, state: 'ok', found: tmpdir(), remedy: null }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const remedy = 'set TMPDIR to a folder that can be written to'
    return { ...told, state: 'problem', found: `${tmpdir()} cannot be written to`, remedy }
  }
}

export async function freeDisk(folder: string): Promise<Diagnosis> {
  const { bavail, bsize } = await statfs(folder)
  const bytes = bavail * bsize
  const enough = bytes >= COMFORTABLE_DISK_BYTES
  return {
    name: 'free disk',
    state: enough ? 'ok' : 'warning',
    found: formatBytes(bytes),
    meaning: 'a journal takes about 1 kB per execution',
    remedy: enough ? null : 'free some space, or write elsewhere with --out',
  }
}

export async function k6(env: Readonly<Record<string, string | undefined>>): Promise<Diagnosis> {
  const search = await searchK6(env)
  const about = { name: 'k6', meaning: 'an optional load engine; the Node engine does not need it' }
  if (search.kind === 'found') {
    const { path, version } = search.binary
    return { ...about, state: 'ok', found: `${version} at ${path}`, remedy: null }
  }
  const { kind, problem, found } = search
  return {
    ...about,
    state: kind === 'absent' ? 'absent' : 'warning',
    found: found === undefined ? problem : `${problem} (${found})`,
    remedy: K6_REMEDY,
  }
}
