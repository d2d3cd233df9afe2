/** An answer whose bytes are built once: the cost of a target that does no work. */
export function canned(body: unknown): string {
  const text = JSON.stringify(body)
  return (
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nkeep-alive: timeout=72\r\n' +
    `content-length: ${text.length}\r\n\r\n${text}`
  )
}
