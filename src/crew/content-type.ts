/** The content type of an answer. */

/** `application/json`, with or without parameters, and the `+json` types. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === 'application/json; charset=utf-8') return true
  if (contentType === 'application/json') return true
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType?.trim() ?? '')
}
