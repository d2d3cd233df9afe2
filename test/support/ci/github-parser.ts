/** GitHub's own parser of workflows and actions, which imports JSON as only bundlers do. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type * as Parser from '@actions/workflow-parser'
import type * as ActionParser from '@actions/workflow-parser/actions/action-parser'
import { build } from 'esbuild'

type GitHub = typeof Parser & typeof ActionParser

const CONTENTS = `
export * from '@actions/workflow-parser'
export * from '@actions/workflow-parser/actions/action-parser'
`

/** Returns what GitHub would refuse in a file, one sentence each. */
export async function problemsFor(
  kind: 'action' | 'workflow',
  name: string,
  content: string,
): Promise<string[]> {
  const { parseAction, parseWorkflow, NoOperationTraceWriter } = await load()
  const parser = kind === 'action' ? parseAction : parseWorkflow
  const { context } = parser({ name, content }, new NoOperationTraceWriter())
  return context.errors.getErrors().map(({ message }) => message)
}

let loaded: Promise<GitHub> | null = null

async function load(): Promise<GitHub> {
  loaded ??= bundled()
  return loaded
}

async function bundled(): Promise<GitHub> {
  const folder = await mkdtemp(join(tmpdir(), 'crewload-test-'))
  const outfile = join(folder, 'parser.mjs')
  const resolveDir = dirname(fileURLToPath(import.meta.url))
  const stdin = { contents: CONTENTS, resolveDir }
  const place = { absWorkingDir: resolveDir, outfile }
  const form = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' } as const
  await build({ stdin, ...place, ...form })
  const found = (await import(pathToFileURL(outfile).href)) as GitHub
  await rm(folder, { recursive: true })
  return found
}
