/** Plain HTTP for contract tests: any method with any body, nothing added, nothing followed. */
import { request } from 'node:http'

export interface PlainRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | null
}

export interface PlainAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export async function ask(base: string, asked: PlainRequest): Promise<PlainAnswer> {
  const { method, path, body } = asked
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
  const headers = { ...asked.headers, ...length }
  return new Promise((resolve, reject) => {
    const sent = request(`${base}${path}`, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    sent.once('error', reject)
    sent.end(body ?? undefined)
  })
}
