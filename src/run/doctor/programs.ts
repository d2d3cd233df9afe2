/** The doctor's checks of optional programs: k6 and Chromium. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { K6_REMEDY, searchK6 } from '../k6/binary.ts'
import type { Diagnosis } from './finding.ts'

const execute = promisify(execFile)
const ANSWER_LIMIT_MS = 5_000

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

export async function chromium(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Diagnosis> {
  const names = [env['CHROMIUM_BIN'], 'chromium', 'chromium-browser', 'google-chrome']
  const version = await firstVersion(names, ['--version'])
  return {
    name: 'Chromium',
    state: version === null ? 'absent' : 'ok',
    found: version ?? 'not found',
    meaning: "opens the reports in crewload's own tests; any browser shows them",
    remedy: version === null ? 'install Chromium, or set CHROMIUM_BIN, to run those tests' : null,
  }
}

async function firstVersion(
  names: readonly (string | undefined)[],
  args: readonly string[],
): Promise<string | null> {
  for (const name of names) {
    if (name === undefined || name === '') continue
    const answer = await execute(name, [...args], { timeout: ANSWER_LIMIT_MS }).catch(() => null)
    if (answer !== null) return answer.stdout.trim().split('\n')[0] ?? null
  }
  return null
}
