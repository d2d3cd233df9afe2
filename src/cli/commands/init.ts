/** `crewload init`: a starter scenario and profile that run as they are. */
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { UserError } from '../../mistakes.ts'
import { packageRoot } from '../../run/package-root.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io.ts'

const STARTERS = [
  { from: ['scenarios', 'smoke.ts'], to: 'crewload.scenario.ts' },
  { from: ['fake-crew', 'profiles', 'default.yaml'], to: 'crewload.profile.yaml' },
] as const

export async function initCommand(
  folder: string,
  options: { force?: boolean },
  io: Io,
): Promise<number> {
  const files = STARTERS.map(({ from, to }) => ({
    source: join(packageRoot(), ...from),
    path: join(folder, to),
  }))
  if (!options.force) await refuseToOverwrite(files.map(({ path }) => path))
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UserError({ source: folder, path: '', problem: `cannot be made (${error.code})` })
  })
  for (const { source, path } of files) {
    await writeFile(path, withoutSchemaPath(await readFile(source, 'utf8')))
  }
  const [scenario, profile] = files.map(({ path }) => relative('.', path))
  io.stdout.write(`Wrote ${scenario} and ${profile}. Try them:

  crewload run ./${scenario} --profile ./${profile}
`)
  return EXIT.passed
}

/** The path to the schema holds inside the package alone. */
function withoutSchemaPath(text: string): string {
  return text.replace(/^# yaml-language-server:.*\n#\n/, '')
}

async function refuseToOverwrite(paths: readonly string[]): Promise<void> {
  const there: string[] = []
  for (const path of paths) {
    const exists = await access(path).then(
      () => true,
      () => false,
    )
    if (exists) there.push(path)
  }
  if (there.length === 0) return
  throw new UserError(
    there.map((path) => ({
      source: path,
      path: '',
      problem: 'is there already; --force overwrites it',
    })),
  )
}
