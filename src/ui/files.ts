/** The files of runs and studies, which their reports name. */
import type { Readable } from 'node:stream'
import { extname, join } from 'node:path'
import { openRegular } from '../journal/file/regular.ts'
import type { Found } from './library.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.json': 'application/json',
}

/**
 * `path` begins with the id of a run or a study. Null for what is in none, and for names that begin
 * with a dot. Rejects with a UserError for what is no file.
 */
export async function openFile(
  found: readonly Found[],
  path: string,
): Promise<{ stream: Readable; type: string } | null> {
  const names = path.split('/')
  const isPlain = names.every((name) => name !== '' && !name.startsWith('.'))
  const inside = found.find(({ id }) => id === '.' || path.startsWith(`${id}/`))
  if (!isPlain || inside === undefined) return null
  const own = inside.id === '.' ? names : names.slice(inside.id.split('/').length)
  const file = await openRegular(join(inside.path, ...own))
  if (file === null) return null
  return { stream: file.createReadStream(), type: TYPES[extname(path)] ?? 'text/plain' }
}
