/**
 * Writes a Markdown file to the pull request (GitHub) or merge request (GitLab) that a job belongs
 * to, as one comment that later runs replace:
 *
 *     node comment.mjs FILE [NAME]
 *
 * NAME (default `crewload`) tells the comments of several jobs apart. Only a comment of the token's
 * own user is replaced. The token is in GITHUB_TOKEN, or in CREWLOAD_GITLAB_TOKEN with the scope
 * `api` (GitLab's CI_JOB_TOKEN may not write notes); everything else is set by the service. Exit
 * code 1: it could not be written.
 */
import { readFile } from 'node:fs/promises'
import process, { argv, env, stderr, stdout } from 'node:process'

const TIMEOUT_MS = 30_000
/** The former comment is searched among this many, the newest. */
const MOST_COMMENTS = 100

const [, , file = '', name = 'crewload'] = argv
const marker = `<!-- crewload comment: ${name.replaceAll(/[^\w .-]/g, '_')} -->`

try {
  const write = place()
  const body = `${marker}\n${await readFile(file, 'utf8')}`
  stdout.write(`${await write(body)}\n`)
} catch (error) {
  stderr.write(`crewload: the comment could not be written: ${error.message}\n`)
  process.exitCode = 1
}

/** Returns the function that writes the comment to the service on which the job runs. */
function place() {
  if (env.GITHUB_ACTIONS === 'true') return onGitHub
  if (env.GITLAB_CI === 'true') return onGitLab
  throw new Error('neither GITHUB_ACTIONS nor GITLAB_CI is true')
}

async function onGitHub(body) {
  const event = JSON.parse(await readFile(env.GITHUB_EVENT_PATH ?? '', 'utf8'))
  const number = event.pull_request?.number ?? event.number
  if (!Number.isSafeInteger(number)) return 'this job belongs to no pull request'
  const [owner, repository] = (env.GITHUB_REPOSITORY ?? '').split('/')
  const found = await graphql(
    `
      query ($owner: String!, $repository: String!, $number: Int!, $most: Int!) {
        repository(owner: $owner, name: $repository) {
          pullRequest(number: $number) {
            id
            comments(last: $most) {
              nodes {
                id
                body
                viewerDidAuthor
              }
            }
          }
        }
      }
    `,
    { owner, repository, number, most: MOST_COMMENTS },
  )
  const { id: subject, comments } = found.repository.pullRequest
  const former = comments.nodes.findLast((each) => each.viewerDidAuthor && isOurs(each))
  if (former === undefined) {
    await graphql(
      `
        mutation ($subject: ID!, $body: String!) {
          addComment(input: { subjectId: $subject, body: $body }) {
            clientMutationId
          }
        }
      `,
      { subject, body },
    )
    return `commented on pull request ${number}`
  }
  await graphql(
    `
      mutation ($id: ID!, $body: String!) {
        updateIssueComment(input: { id: $id, body: $body }) {
          clientMutationId
        }
      }
    `,
    { id: former.id, body },
  )
  return `replaced the comment on pull request ${number}`
}

async function graphql(query, variables) {
  const headers = { authorization: `Bearer ${env.GITHUB_TOKEN ?? ''}` }
  const url = env.GITHUB_GRAPHQL_URL ?? 'https://api.github.com/graphql'
  const { data, errors = [] } = await json(url, 'POST', headers, { query, variables })
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '))
  return data
}

async function onGitLab(body) {
  const { CI_API_V4_URL: api, CI_PROJECT_ID: project, CI_MERGE_REQUEST_IID: number } = env
  if (number === undefined) return 'this job belongs to no merge request'
  const headers = { 'private-token': env.CREWLOAD_GITLAB_TOKEN ?? '' }
  const { id: own } = await json(`${api}/user`, 'GET', headers)
  const notes = `${api}/projects/${project}/merge_requests/${number}/notes`
  const query = `per_page=${MOST_COMMENTS}&order_by=created_at&sort=desc`
  const listed = await json(`${notes}?${query}`, 'GET', headers)
  const former = listed.find((note) => note.author.id === own && isOurs(note))
  if (former === undefined) {
    await json(notes, 'POST', headers, { body })
    return `commented on merge request ${number}`
  }
  await json(`${notes}/${former.id}`, 'PUT', headers, { body })
  return `replaced the comment on merge request ${number}`
}

function isOurs({ body }) {
  return body.startsWith(marker)
}

async function json(url, method, headers, body) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', 'user-agent': 'crewload', ...headers },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...sent,
  })
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: status ${response.status}`)
  return response.json()
}
