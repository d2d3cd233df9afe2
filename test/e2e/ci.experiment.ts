/**
 * The action and the examples of docs/ci, as far as they can be run without the services: parsed by
 * GitHub's own parser, their scripts run in bash, in the environment of a job, against fake crews.
 */
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startFakeCrew } from '../../fake-crew/index.ts'
import type { Action, Ended, Job, Step } from '../support/ci/actions.ts'
import { bash, filled, runAction } from '../support/ci/actions.ts'
import { temporaryFolder } from '../support/cli.ts'
import { problemsFor } from '../support/ci/github-parser.ts'
import type { Comment } from '../support/ci/pull-requests.ts'
import { startService } from '../support/ci/pull-requests.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const ACTION = parse(read('tools/action/action.yml')) as Action
const WORKFLOW = parse(read('docs/ci/github-actions.yml')) as {
  jobs: Record<string, { steps: Step[] }>
}
const GITLAB = parse(read('docs/ci/gitlab-ci.yml')) as {
  crewload: {
    script: string[]
    after_script: string[]
    allow_failure: { exit_codes: number }
    artifacts: { reports: { junit: string } }
  }
}
const JENKINSFILE = read('docs/ci/Jenkinsfile')

/** What the workflow gives to the action, by job. */
const USES = Object.entries(WORKFLOW.jobs).map(([job, { steps }]) => {
  const step = steps.find(({ uses = '' }) => uses.includes('/tools/action@'))
  return [job, step?.with ?? {}] as const
})

/** Each is a gate over sockets. */
const SLOW = { timeout: 180_000 }

const SCENARIO = `
import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'steady',
  arrivals: { rate: '40/s', for: '300ms' },
  inputs: { topic: 'bees' },
  polling: { fixed: '20ms' },
  deadline: '20s',
  confirm: 0,
  validity: { lateness: '10s', utilisation: 1, little: 1 },
})
`

/** Whether they fail is sure, however busy the machine is. */
const crewOf = (failures: string): string => `
name: made up
inputs: [topic]
tasks: [{ id: work, agent: Worker, duration: 80ms, output: 100B, failure: { chance: ${failures}, message: no bees } }]
capacity: { workers: unlimited }
`

let place: Awaited<ReturnType<typeof temporaryFolder>>
let crews: Awaited<ReturnType<typeof startFakeCrew>>[] = []

beforeAll(async () => {
  place = await temporaryFolder()
  await writeFile(join(place.path, 'base.yaml'), crewOf('0%'))
  await writeFile(join(place.path, 'ill.yaml'), crewOf('100%'))
  for (const name of ['base', 'ill']) {
    const profile = join(place.path, `${name}.yaml`)
    crews.push(await startFakeCrew({ profile, token: 'of-the-crew' }))
  }
})
afterAll(async () => {
  for (const crew of crews) await crew.stop()
  await place[Symbol.asyncDispose]()
})

/**
 * A checkout of a project that has crewload installed, and the environment that every service sets;
 * `npm` writes down what it is asked, and does nothing.
 */
async function checkout(env: Record<string, string>): Promise<Job> {
  const folder = await mkdtemp(join(place.path, 'job-'))
  const cwd = join(folder, 'project')
  const modules = join(cwd, 'node_modules')
  for (const path of [join(cwd, 'ci'), join(modules, '.bin'), join(folder, 'bin')]) {
    await mkdir(path, { recursive: true })
  }
  await writeFile(join(cwd, 'ci/steady.ts'), SCENARIO)
  await symlink(ROOT, join(modules, 'crewload'))
  await symlink('../crewload/dist/bin/crewload.js', join(modules, '.bin/crewload'))
  const npm = join(folder, 'bin/npm')
  await writeFile(npm, `#!/bin/sh\necho "npm $*" >> "${folder}/asked"\n`)
  await chmod(npm, 0o755)
  const path = `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env['PATH']}`
  return { cwd, folder, env: { PATH: path, HOME: folder, CI: 'true', ...env } }
}

async function onGitHub(service = 'http://127.0.0.1:9', number = 7): Promise<Job> {
  const job = await checkout({
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: join(ROOT, 'tools/action'),
    GITHUB_REPOSITORY: 'bees/honey',
    GITHUB_SHA: 'c0ffee',
    GITHUB_GRAPHQL_URL: `${service}/graphql`,
  })
  await writeFile(join(job.folder, 'event.json'), JSON.stringify({ pull_request: { number } }))
  for (const [name, file] of [
    ['GITHUB_EVENT_PATH', 'event.json'],
    ['GITHUB_STEP_SUMMARY', 'summary.md'],
    ['RUNNER_TEMP', ''],
  ] as const) {
    job.env[name] = join(job.folder, file)
  }
  return job
}

/** By another user, who knows the marker. */
const foreign = (name: string): Comment => ({
  id: 1,
  author: 'somebody',
  body: `<!-- crewload comment: ${name} -->\nnot ours`,
})

describe.concurrent('the action', () => {
  test('and the workflow are what GitHub reads without an error', async () => {
    const [action, workflow] = ['tools/action/action.yml', 'docs/ci/github-actions.yml']
    expect(await problemsFor('action', action, read(action))).toEqual([])
    expect(await problemsFor('workflow', workflow, read(workflow))).toEqual([])
    const wrong = read(workflow).replace('runs-on', 'run-on')
    expect(await problemsFor('workflow', workflow, wrong)).toContainEqual(
      expect.stringContaining("Unexpected value 'run-on'"),
    )
  })

  test.each(USES)('has the inputs that the job %s gives', (_, given) => {
    const required = Object.entries(ACTION.inputs).filter(([, input]) => input.required === true)
    expect(Object.keys(ACTION.inputs)).toEqual(expect.arrayContaining(Object.keys(given)))
    expect(Object.keys(given)).toEqual(expect.arrayContaining(required.map(([name]) => name)))
  })

  test('puts no expression into a script, and reads each input', () => {
    const scripts = ACTION.runs.steps.flatMap(({ run }) => run ?? [])
    expect(scripts).toHaveLength(3)
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([])
    const text = JSON.stringify(ACTION.runs)
    const unread = Object.keys(ACTION.inputs).filter((name) => !text.includes(`inputs.${name}`))
    expect(unread).toEqual([])
  })

  test(
    'gates a pull request: exit code, outputs, summary, annotation and one comment',
    SLOW,
    async () => {
      const service = await startService([foreign('crewload')])
      const job = await onGitHub(service.url)
      const [base, ill] = crews
      const vars = { CREW_URL: base!.url, CREW_PREVIEW_URL: ill!.url }
      const context = { vars, secrets: { CREWLOAD_TOKEN: 'of-the-crew' } }
      const [, example] = USES.find(([name]) => name === 'gate')!
      const given = Object.fromEntries(
        Object.entries(example).map(([name, text]) => [name, filled(text, context)]),
      )
      const gated = await runAction(ACTION, given, job)
      expect(gated.steps).toEqual(ACTION.runs.steps.map(({ name }) => name))
      expect(gated).toMatchObject({ code: 1, outputs: { 'exit-code': '1', outcome: 'fail' } })
      expect(gated.stdout).toMatch(/^::error title=FAIL%3A gate::[^\n]*execution\.failed rose by/m)
      expect(await readFile(join(job.folder, 'asked'), 'utf8')).toMatch(
        /^npm ci --include=dev [^\n]*--prefix \S+tools\/action\/\.\.\/\.\.\n$/,
      )
      expect(await readFile(job.env['GITHUB_STEP_SUMMARY']!, 'utf8')).toMatch(/^## ✗ FAIL/m)
      const document = JSON.parse(
        await readFile(join(gated.outputs['folder']!, 'gate.json'), 'utf8'),
      ) as { commit: string; pairs: unknown[] }
      expect([document.commit, document.pairs.length]).toEqual(['c0ffee', expect.any(Number)])
      const own = {
        id: 2,
        author: 'bot',
        body: expect.stringMatching(/^<!-- [^\n]* -->\n## ✗ FAIL/),
      }
      expect(service.comments).toEqual([foreign('crewload'), own])

      const virtual = { command: 'run', scenario: 'smoke', profile: 'fast', comment: 'true' }
      const args = '--engine=virtual\n--seed\n7'
      const passed = await runAction(ACTION, { ...virtual, args }, job)
      expect([passed.code, passed.outputs['outcome']]).toEqual([0, 'passed'])
      expect(service.comments.map(({ body }) => body.split('\n')[1])).toEqual([
        'not ours',
        '## ✓ PASSED: smoke',
      ])
      await service.stop()
    },
  )

  test('fails where nothing is decided, unless that is allowed', async () => {
    const job = await onGitHub()
    const given = {
      scenario: 'smoke',
      profile: 'fast',
      'baseline-profile': 'fast',
      args: '--runs=3\n--engine=virtual\n--margin=6%',
    }
    const failed = await runAction(ACTION, given, job)
    expect([failed.code, failed.outputs['outcome']]).toEqual([4, 'inconclusive'])
    const allowed = await runAction(ACTION, { ...given, 'allow-inconclusive': 'true' }, job)
    expect([allowed.code, allowed.outputs]).toEqual([
      0,
      { ...failed.outputs, folder: expect.any(String) as string },
    ])
  })

  test('executes nothing of its inputs, and tells that nothing was written', async () => {
    const job = await onGitHub()
    const evil = '$(touch pwned) `touch pwned` "; touch pwned; \'\n${{ secrets.TOKEN }}'
    const names = ['scenario', 'target', 'baseline', 'args', 'comment-name', 'max-kickoffs']
    const given = Object.fromEntries(names.map((name) => [name, evil]))
    const ran = await runAction(ACTION, { ...given, comment: 'true' }, job)
    expect(ran).toMatchObject({ code: 2, outputs: { 'exit-code': '2', outcome: '', folder: '' } })
    expect(ran.steps).not.toContain('Comment on the pull request')
    expect(existsSync(join(job.cwd, 'pwned'))).toBe(false)
    const other = await runAction(ACTION, { command: 'fake; touch pwned', scenario: 'smoke' }, job)
    expect([other.code, existsSync(join(job.cwd, 'pwned'))]).toEqual([2, false])
  })
})

async function comment(job: Job): Promise<Ended> {
  await writeFile(join(job.cwd, 'comment.md'), '## words\n')
  return bash('node "$GITHUB_ACTION_PATH/comment.mjs" comment.md', job)
}

describe.concurrent('the comment', () => {
  test('is refused with a sentence, and without the token', async () => {
    const service = await startService()
    const job = await onGitHub(service.url)
    job.env['GITHUB_TOKEN'] = 'wrong'
    const { code, stderr } = await comment(job)
    expect([code, stderr]).toEqual([
      1,
      'crewload: the comment could not be written: POST /graphql: status 401\n',
    ])
    job.env['GITHUB_TOKEN'] = 'of-the-job'
    await writeFile(job.env['GITHUB_EVENT_PATH']!, '{"number":8}')
    expect((await comment(job)).stderr).toContain('no such pull request')
    await service.stop()
  })

  test('is not written where there is no pull request', async () => {
    const job = await onGitHub()
    await writeFile(job.env['GITHUB_EVENT_PATH']!, '{"ref":"refs/heads/main"}')
    expect(await comment(job)).toMatchObject({
      code: 0,
      stdout: 'this job belongs to no pull request\n',
    })
  })
})

describe.concurrent('the example for GitLab', () => {
  // Its gate is that of GitHub.
  test(
    'gates, writes a note, and leaves one JUnit report where GitLab reads it',
    SLOW,
    async () => {
      const service = await startService([foreign('crewload')])
      const [base, ill] = crews
      const job = await checkout({
        GITLAB_CI: 'true',
        CI_API_V4_URL: service.url,
        CI_PROJECT_ID: '5',
        CI_MERGE_REQUEST_IID: '7',
        CI_COMMIT_SHA: 'c0ffee',
        CREWLOAD_GITLAB_TOKEN: 'of-the-project',
        CREWLOAD_TOKEN: 'of-the-crew',
        CREW_URL: base!.url,
        CREW_PREVIEW_URL: ill!.url,
      })
      const { script, after_script: after, allow_failure: allowed, artifacts } = GITLAB.crewload
      expect(allowed.exit_codes).toBe(4)
      const gated = await bash(script.join('\n'), job)
      expect([gated.code, gated.stdout]).toEqual([1, expect.stringMatching(/^FAIL {3}Over/m)])
      for (let pipeline = 0; pipeline < 2; pipeline++) {
        expect(await bash(after.join('\n'), job)).toMatchObject({ code: 0, stderr: '' })
      }
      expect(service.comments.map(({ body }) => body.split('\n')[1])).toEqual([
        'not ours',
        expect.stringContaining('## ✗ FAIL'),
      ])
      const { stdout } = await bash(`cat ${artifacts.reports.junit}`, job)
      expect(stdout.match(/<testsuite /g)).toHaveLength(1)
      expect(stdout).toMatch(/<testcase name="gate" [^]*<failure /)
      await service.stop()
    },
  )
})

describe.concurrent('the example for Jenkins', () => {
  // Its gate is that of GitLab.
  test('gates, and leaves one JUnit report where Jenkins reads it', SLOW, async () => {
    const [base, ill] = crews
    const job = await checkout({
      CREWLOAD_TOKEN: 'of-the-crew',
      CREW_URL: base!.url,
      CREW_PREVIEW_URL: ill!.url,
    })
    const [, install = ''] = /\bsh '([^']+)'\n/.exec(JENKINSFILE) ?? []
    const [, gate = ''] = /\bscript: '''([^]+?)'''/.exec(JENKINSFILE) ?? []
    const [, reports = ''] = /testResults: '([^']+)'/.exec(JENKINSFILE) ?? []
    expect((await bash(install, job)).code).toBe(0)
    // In a string of Groovy a backslash stands twice.
    const gated = await bash(gate.replaceAll('\\\\', '\\'), job)
    expect([gated.code, gated.stdout]).toEqual([1, expect.stringMatching(/^FAIL {3}Over/m)])
    const { stdout } = await bash(`cat ${reports}`, job)
    expect(stdout.match(/<testsuite /g)).toHaveLength(1)
  })

  test('closes what it opens', () => {
    const bare = JENKINSFILE.replaceAll(/'''[^]*?'''|'[^'\n]*'|"[^"\n]*"|\/\/.*/g, '')
    let left = bare.replaceAll(/[^{}()[\]]/g, '')
    expect(left.length).toBeGreaterThan(30)
    for (let length = Infinity; left.length < length;) {
      length = left.length
      left = left.replaceAll(/\{\}|\(\)|\[\]/g, '')
    }
    expect(left).toBe('')
  })
})
