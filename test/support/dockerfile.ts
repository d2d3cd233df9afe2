/**
 * Executes the COPY and RUN steps of a Dockerfile in folders, where there is no Docker: each stage
 * is a folder that stands for the root of its image. Base images are this machine itself.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

interface Step {
  instruction: string
  words: string
}

export interface Stage {
  name: string
  /** The stage or image that it begins with. */
  from: string
  steps: Step[]
}

/** The stages of the file, in order; comments are left out, continued lines joined. */
export function stagesOf(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: Stage[] = []
  for (const line of lines) {
    const [instruction = '', ...rest] = line.split(' ')
    const words = rest.join(' ')
    if (instruction !== 'FROM') stages.at(-1)!.steps.push({ instruction, words })
    else {
      const [from = '', , name = ''] = rest
      stages.push({ name, from, steps: [] })
    }
  }
  return stages
}

/** The last value of an instruction in a stage, or in those that it begins with. */
export function settingOf(stages: readonly Stage[], name: string, instruction: string): string {
  const stage = stages.find((each) => each.name === name)
  if (stage === undefined) throw new Error(`no stage sets ${instruction}`)
  const found = stage.steps.findLast((step) => step.instruction === instruction)
  return found?.words ?? settingOf(stages, stage.from, instruction)
}

export interface Building {
  /** The build context. */
  context: string
  /** Holds the roots of the stages. */
  folder: string
  /** Does a step in another way, which it says aloud; false executes it. */
  instead(stage: string, step: Step, cwd: string): boolean
}

/** Executes the steps of every stage; a stage that begins with another one shares its root. */
export function buildStages(stages: readonly Stage[], building: Building): Map<string, string> {
  const roots = new Map<string, string>()
  for (const { name, from, steps } of stages) {
    const root = roots.get(from) ?? join(building.folder, name)
    roots.set(name, root)
    let workdir = '/'
    for (const step of steps) {
      const cwd = join(root, workdir)
      mkdirSync(cwd, { recursive: true })
      if (step.instruction === 'WORKDIR') workdir = step.words
      else if (building.instead(name, step, cwd)) continue
      else if (step.instruction === 'COPY') copy(step.words, { root, cwd, roots, building })
      else if (step.instruction === 'RUN') {
        execFileSync('sh', ['-ec', inside(step.words, root)], { cwd, stdio: 'pipe' })
      }
    }
  }
  return roots
}

/** Absolute paths of the image are below its root. */
function inside(script: string, root: string): string {
  return script.replaceAll(/(?<=^| )\/(?=\w)/g, `${root}/`)
}

interface Copying {
  root: string
  cwd: string
  roots: ReadonlyMap<string, string>
  building: Building
}

function copy(words: string, { root, cwd, roots, building: { context } }: Copying): void {
  const parts = words.split(' ')
  const [, stage] = /^--from=(.*)$/.exec(parts[0]!) ?? []
  const [target = '', ...sources] = parts.filter((part) => !part.startsWith('--')).toReversed()
  const to = target.startsWith('/') ? join(root, target) : join(cwd, target)
  for (const source of sources) {
    const from = stage === undefined ? join(context, source) : join(roots.get(stage)!, source)
    if (source === '.') for (const name of sent(context)) place(join(context, name), join(to, name))
    else place(from, target.endsWith('/') ? join(to, basename(from)) : to)
  }

  function place(from: string, at: string): void {
    const left = ignored(context)
    mkdirSync(join(at, '..'), { recursive: true })
    cpSync(from, at, { recursive: true, filter: (path) => !left.includes(path) })
  }
}

/** What `.dockerignore` lets through; it begins with `*`. */
function sent(context: string): string[] {
  const rules = readFileSync(join(context, '.dockerignore'), 'utf8').trim().split('\n')
  if (rules[0] !== '*') throw new Error('.dockerignore is expected to begin with *')
  const names = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1))
  const missing = names.filter((name) => !existsSync(join(context, name)))
  if (missing.length > 0)
    throw new Error(`.dockerignore names what is not there: ${missing.join()}`)
  return names
}

function ignored(context: string): string[] {
  const rules = readFileSync(join(context, '.dockerignore'), 'utf8').trim().split('\n')
  return rules.filter((rule) => /^\w/.test(rule)).map((rule) => join(context, rule))
}
