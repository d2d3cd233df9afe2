/**
 * `crewload init`: writes a starter scenario and profile that can be run as they are, with what an
 * editor needs for its hints.
 */
import { access, readFile, writeFile } from 'node:fs/promises'
import { isAbsolute, join, posix, relative, dirname, resolve } from 'node:path'
import { UserError } from '../../base/mistakes.ts'
import { text } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { option } from '../../base/options/table.ts'
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'
import { pathToFileURL } from 'node:url'
import { packageRoot, slashed } from '../../run/environment/package.ts'

const STARTERS = [
  { from: ['scenarios', 'smoke.ts'], to: 'crewload.scenario.ts' },
  { from: ['fake-crew', 'profiles', 'default.yaml'], to: 'crewload.profile.yaml' },
] as const

const INIT = {
  folder: option('[folder]', 'folder to write to', text, { default: '.' }),
} satisfies OptionTable

export const init: MainCommand = {
  name: 'init',
  group: 'Try it',
  description: 'write a starter scenario and profile that run unchanged',
  options: INIT,
  act: async (io, { folder }: Given<typeof INIT>) => writeStarters(folder, io),
}

/** As a command takes it: with a folder, so that it is no shipped name. */
function shownPath(path: string): string {
  if (isAbsolute(path)) return slashed(path)
  const near = slashed(relative('.', path))
  return near.startsWith('../') ? near : `./${near}`
}

async function writeStarters(folder: string, io: Io): Promise<number> {
  const { makeFolder } = await import('../../run/folder/make.ts')
  const files = STARTERS.map(({ from, to }) => ({
    source: join(packageRoot(), ...from),
    path: join(folder, to),
  }))
  await refuseToOverwrite(files.map(({ path }) => path))
  await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw new UserError({ source: folder, problem: `cannot be created (${error.code})` })
  })
  const hints = await hintsFor(folder)
  for (const { source, path } of files) {
    await write(path, withSchemaPath(await readFile(source, 'utf8'), hints))
  }
  const configuration = join(folder, 'tsconfig.json')
  const isConfigured = await exists(configuration)
  if (!isConfigured) await write(configuration, hints.configuration)
  const [scenario, profile] = files.map(({ path }) => shownPath(path))
  const named = relative('.', configuration)
  const also = isConfigured ? hintsOfOther(named, hints) : `and ${named} for your editor's hints.`
  io.stdout.write(`Wrote ${scenario}, ${profile}
${also}
Try them; at this speed one second stands for one minute:

  crewload run ${scenario} --profile ${profile} --speed 60
`)
  return EXIT.passed
}

function hintsOfOther(file: string, { paths }: Hints): string {
  if (paths === null) return `${file} already exists and was not changed.`
  const add = `for your editor's hints, add to its compilerOptions\n  "paths": ${paths}`
  return `${file} already exists and was not changed; ${add}`
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw new UserError({
      source: relative('.', path),
      problem: `cannot be written (${error.code})`,
    })
  })
}

/** The schema path in the shipped profile is valid only inside the package. */
function withSchemaPath(text: string, { profileSchema }: Hints): string {
  return text.replace(/^(# yaml-language-server: \$schema=).*$/m, `$1${profileSchema}`)
}

async function refuseToOverwrite(paths: readonly string[]): Promise<void> {
  const there: string[] = []
  for (const path of paths) if (await exists(path)) there.push(path)
  if (there.length === 0) return
  throw new UserError(
    there.map((path) => ({
      source: path,
      problem: 'already exists',
    })),
  )
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

interface Hints {
  /** The text of a tsconfig.json. */
  configuration: string
  /**
   * Where TypeScript finds the types, in the form of `paths`; null when it finds the package by
   * itself.
   */
  paths: string | null
  /** A URL, or a path relative to the folder. */
  profileSchema: string
}

/** In a project that depends on crewload, the hints contain no path of this machine. */
async function hintsFor(folder: string): Promise<Hints> {
  const installed = await installedAbove(resolve(folder))
  const paths = installed === null ? await typePaths() : null
  const schema = join('schemas', 'profile.schema.json')
  return {
    configuration: configurationOf(paths),
    paths,
    profileSchema:
      installed === null
        ? pathToFileURL(join(packageRoot(), schema)).href
        : slashed(relative(resolve(folder), join(installed, schema))),
  }
}

/** The `node_modules/crewload` that an import from `folder` would find. */
async function installedAbove(folder: string): Promise<string | null> {
  const candidate = join(folder, 'node_modules', 'crewload')
  const found = await access(join(candidate, 'package.json')).then(
    () => true,
    () => false,
  )
  if (found) return candidate
  const parent = dirname(folder)
  return parent === folder ? null : installedAbove(parent)
}

async function typePaths(): Promise<string> {
  const root = packageRoot()
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { types?: string }>
  }
  const entries = Object.entries(exports).flatMap(([name, { types }]) =>
    types === undefined
      ? []
      : [
          `${JSON.stringify(posix.join('crewload', name))}: [${JSON.stringify(slashed(join(root, types)))}]`,
        ],
  )
  return `{ ${entries.join(', ')} }`
}

function configurationOf(paths: string | null): string {
  const options = [
    '"target": "es2022"',
    '"module": "preserve"',
    '"moduleResolution": "bundler"',
    '"strict": true',
    '"noEmit": true',
    '"skipLibCheck": true',
    ...(paths === null ? [] : [`"paths": ${paths}`]),
  ]
  return `{
  "compilerOptions": {
    ${options.join(',\n    ')}
  },
  "include": ["*.ts"]
}
`
}
