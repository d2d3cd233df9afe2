/** Reads the target's base URL. */
import { UserError } from '../../base/mistakes.ts'

/**
 * Reads a base URL: http or https, without credentials and query; a path is kept. Throws UserError
 * with `source` as the place.
 */
export function parseTarget(text: string, source = '--target'): URL {
  const mistake = (problem: string): UserError =>
    new UserError({ source, path: '', found: JSON.stringify(withoutCredentials(text)), problem })
  if (!URL.canParse(text)) throw mistake('expected a URL like "http://127.0.0.1:8000"')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw mistake('expected http or https')
  if (url.username !== '' || url.password !== '') {
    throw mistake('credentials do not belong in the URL; use CREWLOAD_TOKEN or --token-file')
  }
  if (url.search !== '' || url.hash !== '') throw mistake('expected no query and no fragment')
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '')
  return url
}

/**
 * The text as written, without what may be secret: everything before the last `@`, and any query or
 * fragment.
 */
function withoutCredentials(text: string): string {
  const at = text.lastIndexOf('@')
  const scheme = /^\w+:(\/\/)?/.exec(text)?.[0] ?? ''
  const shown = at === -1 ? text : `${scheme}...${text.slice(at)}`
  return shown.replace(/([?#]).*/s, '$1...')
}
