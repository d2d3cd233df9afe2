/** Profiles by name or by file: the shipped ones are in `fake-crew/profiles` of this package. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assert } from '../src/base/assert.ts'
import { authorText } from '../src/base/author-text.ts'
import { isProfileText } from '../src/crew/fake/profile-text.ts'
import { UserError, nearestName } from '../src/base/mistakes.ts'
import type { Profile } from './model/profile.ts'
import type { ProfileOverrides, ReadProfile } from './model/parse.ts'
import {
  checkFaults,
  checkProfile,
  checkScripts,
  parseFaults,
  parseProfileText,
  parseScripts,
  readProfile,
} from './model/parse.ts'

export {
  checkFaults,
  checkProfile,
  checkScripts,
  parseFaults,
  parseProfileText,
  parseScripts,
  readProfile,
}
export type { ProfileOverrides, ReadProfile }

/**
 * The profile with a shipped name (`default`), from a YAML file (anything with a slash, a backslash
 * or the ending .yaml or .yml), or from its text (YAML or JSON, in one line or several). Throws
 * UserError: an unknown name with the nearest one and the list, a file that cannot be read, every
 * mistake in it.
 */
export function loadProfile(nameOrFile: string): Profile {
  return readNamed(nameOrFile).profile
}

/** `loadProfile`, which also returns what was written. */
export function readNamed(nameOrFile: string, overrides?: ProfileOverrides): ReadProfile {
  if (isProfileText(nameOrFile)) return readProfile(nameOrFile, 'profile', overrides)
  if (/[/\\]|\.ya?ml$/.test(nameOrFile)) return readFile(nameOrFile, nameOrFile, overrides)
  const names = listProfiles()
  if (!names.includes(nameOrFile)) throw unknownProfile(nameOrFile, names)
  const file = join(profilesFolder(), `${nameOrFile}.yaml`)
  return readFile(file, basename(file), overrides)
}

/** The profile that was read last: a study loads the same one for each of its trials. */
let latest: { key: string; read: ReadProfile } | null = null

/** The caller owns what it returns. */
function readFile(file: string, source: string, overrides?: ProfileOverrides): ReadProfile {
  const text = readText(file)
  const key = JSON.stringify([text, source, overrides])
  if (latest?.key !== key) latest = { key, read: readProfile(text, source, overrides) }
  return structuredClone(latest.read)
}

/** Names of the shipped profiles, in alphabetical order. */
export function listProfiles(): string[] {
  return readdirSync(profilesFolder())
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => basename(file, '.yaml'))
    .sort()
}

function readText(file: string): string {
  return authorText(readBytes(file), file)
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : `cannot be read: ${code}`
    throw new UserError({ source: file, problem: why })
  }
}

function unknownProfile(name: string, names: readonly string[]): UserError {
  const nearest = nearestName(name, names)
  return new UserError({
    source: 'profile',
    found: JSON.stringify(name),
    problem: `not a shipped profile (${names.join(', ')}), a YAML file, nor the text of one`,
    ...(nearest === undefined ? {} : { nearest }),
  })
}

/** Found from the sources and from `dist` alike: beside the package.json of this package. */
function profilesFolder(): string {
  return join(packageFolder(dirname(fileURLToPath(import.meta.url))), 'fake-crew', 'profiles')
}

function packageFolder(folder: string): string {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest)) {
    const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: string }
    if (name === 'crewload') return folder
  }
  const parent = dirname(folder)
  assert(parent !== folder, 'the fake crew is part of the package crewload')
  return packageFolder(parent)
}
