/**
 * What an editor needs to find crewload's types and the keys of a profile, from a folder inside or
 * outside a project.
 */
import { access, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../../run/environment/package-root.ts'

export interface Hints {
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
export async function hintsFor(folder: string): Promise<Hints> {
  const installed = await installedAbove(resolve(folder))
  const paths = installed === null ? await typePaths() : null
  const schema = join('schemas', 'profile.schema.json')
  return {
    configuration: configurationOf(paths),
    paths,
    profileSchema:
      installed === null
        ? pathToFileURL(join(packageRoot(), schema)).href
        : relative(resolve(folder), join(installed, schema)),
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
      : [`${JSON.stringify(join('crewload', name))}: [${JSON.stringify(join(root, types))}]`],
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
