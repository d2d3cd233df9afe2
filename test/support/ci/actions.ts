/**
 * The steps of a composite action, run as GitHub's runner does: expressions by GitHub's own
 * evaluator, scripts in bash, and outputs by a file. Steps that use another action are not run,
 * only listed.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { data, Evaluator, Lexer, Parser, wellKnownFunctions } from '@actions/expressions'

export interface Step {
  id?: string
  name: string
  if?: string
  uses?: string
  run?: string
  with?: Record<string, string | number | boolean>
  env?: Record<string, string>
}

export interface Action {
  inputs: Record<string, { required?: boolean; default?: string }>
  outputs: Record<string, { value: string }>
  runs: { steps: Step[] }
}

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** `code` is that of the first step that failed. */
export interface Ran extends Ended {
  /** The names of the steps that were not skipped. */
  steps: string[]
  outputs: Record<string, string>
}

export interface Job {
  env: Record<string, string>
  cwd: string
  /** The folder for the files of the runner. */
  folder: string
}

export async function runAction(
  action: Action,
  given: Readonly<Record<string, string>>,
  job: Job,
): Promise<Ran> {
  const github = { token: 'of-the-job' }
  const steps: Record<string, { outputs: Record<string, string> }> = {}
  const inputs = Object.entries(action.inputs).map(([name, { default: usual = '' }]) => {
    return [name, given[name] ?? filled(usual, { github })]
  })
  const context = { github, steps, inputs: Object.fromEntries(inputs) as object }
  const ran: Ran = { steps: [], code: 0, stdout: '', stderr: '', outputs: {} }
  for (const step of action.runs.steps) {
    if (!isDue(step, context, ran.code === 0)) continue
    ran.steps.push(step.name)
    if (step.run === undefined) continue
    const { outputs, ...ended } = await runStep({ ...step, run: step.run }, context, job)
    if (step.id !== undefined) steps[step.id] = { outputs }
    ran.stdout += ended.stdout
    ran.stderr += ended.stderr
    ran.code ||= ended.code
  }
  for (const [name, { value }] of Object.entries(action.outputs)) {
    ran.outputs[name] = filled(value, context)
  }
  return ran
}

/**
 * Whether a step runs. A condition that names no status is due only after success, as on GitHub.
 */
function isDue({ if: condition = '' }: Step, context: object, isGood: boolean): boolean {
  const asked = condition === '' ? [] : [condition]
  if (!/\b(?:always|success)\(\)/.test(condition)) asked.unshift('success()')
  return asked.every((expression) => evaluated(expression, context, isGood) === true)
}

async function runStep(
  { run, env = {} }: Step & { run: string },
  context: object,
  job: Job,
): Promise<Ended & { outputs: Record<string, string> }> {
  const file = join(job.folder, 'output')
  await writeFile(file, '')
  const own = Object.entries(env).map(([name, text]) => [name, filled(text, context)])
  const ended = await bash(run, {
    ...job,
    env: { ...job.env, ...(Object.fromEntries(own) as object), GITHUB_OUTPUT: file },
  })
  const told = [...(await readFile(file, 'utf8')).matchAll(/^([\w-]+)=(.*)$/gm)]
  return { ...ended, outputs: Object.fromEntries(told.map(([, name, value]) => [name, value])) }
}

/** Returns the text with its `${{ }}` replaced by their values. */
export function filled(text: string | number | boolean, context: object): string {
  return String(text).replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
    const value = evaluated(expression, context, true)
    return typeof value === 'string' ? value : ''
  })
}

function evaluated(expression: string, context: object, isGood: boolean): unknown {
  const own = new Map(
    Object.entries({ always: true, success: isGood }).map(([name, value]) => {
      const call = (): data.BooleanData => new data.BooleanData(value)
      return [name, { name, minArgs: 0, maxArgs: 0, call }]
    }),
  )
  const functions = [...own.values(), ...Object.values(wellKnownFunctions)]
  const { tokens } = new Lexer(expression).lex()
  const parsed = new Parser(tokens, Object.keys(context), functions).parse()
  const contexts = JSON.parse(JSON.stringify(context), data.reviver) as data.Dictionary
  const found = new Evaluator(parsed, contexts, own).evaluate()
  return JSON.parse(JSON.stringify(found, data.replacer)) as unknown
}

/** Runs a script in bash with the options that GitHub uses for `shell: bash`. */
export async function bash(
  script: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Ended> {
  return new Promise((resolve) => {
    const args = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', script]
    execFile('bash', args, { cwd, env }, (failure, stdout, stderr) => {
      const code = failure === null ? 0 : typeof failure.code === 'number' ? failure.code : 1
      resolve({ code, stdout, stderr })
    })
  })
}
