/** The doctor's look at optional programs beside crewload: k6 and Chromium. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Diagnosis } from './finding.ts'

const execute = promisify(execFile)
const ANSWER_LIMIT_MS = 5_000

export async function k6(env: Readonly<Record<string, string | undefined>>): Promise<Diagnosis> {
  const version = await firstVersion([env['K6_BIN'], 'k6'], ['version'])
  return {
    name: 'k6',
    state: version === null ? 'absent' : 'ok',
    found: version ?? 'not found',
    meaning: 'an optional load engine; the Node engine needs none',
    remedy: version === null ? 'install k6 1.8 or newer, or set K6_BIN' : null,
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
    meaning: 'opens the reports in our own tests; any browser shows them',
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
