/**
 * Imitates the parts of GitHub and of GitLab that the comment on a pull request or merge request
 * needs.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Comment {
  id: number
  author: string
  body: string
}

export interface Service {
  url: string
  /** The comments, oldest first. */
  comments: Comment[]
  stop(): Promise<void>
}

const GITHUB_TOKEN = 'Bearer of-the-job'
const GITLAB_TOKEN = 'of-the-project'

/**
 * Starts a service that has one pull request, number 7, with these comments; the token's own user
 * is `bot`.
 */
export async function startService(comments: Comment[] = []): Promise<Service> {
  const server = createServer((request, response) => {
    void answerTo(request, comments).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comments,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Reply {
  status: number
  body: unknown
}

async function answerTo(request: IncomingMessage, comments: Comment[]): Promise<Reply> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const sent = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
  return request.url === '/graphql'
    ? onGitHub(request, sent, comments)
    : onGitLab(request, sent, comments)
}

function onGitHub(
  { headers }: IncomingMessage,
  { query, variables }: Record<string, unknown>,
  comments: Comment[],
): Reply {
  if (headers.authorization !== GITHUB_TOKEN) return { status: 401, body: {} }
  const { id, body, number } = variables as { id?: number; body?: string; number?: number }
  if (/\bupdateIssueComment\(/.test(String(query))) {
    comments.find((each) => each.id === id)!.body = body!
  } else if (/\baddComment\(/.test(String(query))) {
    comments.push({ id: comments.length + 1, author: 'bot', body: body! })
  } else if (number !== 7) {
    return { status: 200, body: { errors: [{ message: 'no such pull request' }] } }
  }
  const nodes = comments.map((each) => ({ ...each, viewerDidAuthor: each.author === 'bot' }))
  const pullRequest = { id: 'PR_7', comments: { nodes } }
  return { status: 200, body: { data: { repository: { pullRequest } } } }
}

function onGitLab(
  { headers, method, url }: IncomingMessage,
  { body }: Record<string, unknown>,
  comments: Comment[],
): Reply {
  if (headers['private-token'] !== GITLAB_TOKEN) return { status: 401, body: {} }
  if (url === '/user') return { status: 200, body: { id: 'bot' } }
  const [, id] = /^\/projects\/5\/merge_requests\/7\/notes(?:\/(\d+))?(?:\?|$)/.exec(url!) ?? []
  const found = comments.find((each) => String(each.id) === id)
  if (method === 'PUT' && found !== undefined) found.body = String(body)
  if (method === 'POST') {
    comments.push({ id: comments.length + 1, author: 'bot', body: String(body) })
  }
  const notes = comments.map((each) => ({ ...each, author: { id: each.author } })).reverse()
  return { status: 200, body: notes }
}
