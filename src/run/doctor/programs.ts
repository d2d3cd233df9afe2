/** The doctor's check of an optional program: k6. */
import { K6_REMEDY, searchK6 } from '../k6/binary.ts'
import type { Diagnosis } from './finding.ts'

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
