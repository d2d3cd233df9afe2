/**
 * The table of verdicts in `bench/results/verdicts.md`, which people have read: each section is
 * computed again and compared with the file, but for the reasons that people gave. With
 * `CREWLOAD_WRITE_VERDICTS=1` and `--no-file-parallelism` it is written: read the difference, and
 * say in the file why a new row is right.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { EXIT, exitCodeOf } from '../../src/cli/exit-codes.ts'
import { UserError } from '../../src/base/mistakes.ts'
import type { RunOptions } from '../../src/run/options.ts'
import { run } from '../../src/run/run.ts'
import { BROKEN } from './broken.ts'
import { SHIPPED } from './shipped.ts'

const FILE = fileURLToPath(new URL('../../bench/results/verdicts.md', import.meta.url))

export const IS_WRITTEN = process.env['CREWLOAD_WRITE_VERDICTS'] === '1'

const HEAD = `# Verdicts

What crewload says of crews whose state is known: every shipped scenario on every profile of the fake crew, and \`steady\` on crews that are broken in one
way each, all in virtual time. Tests compute these tables again. Each row was read and found right.

`

const COLUMNS = `| crew | verdict | exit code | first reason | why this is right |
| --- | --- | --- | --- | --- |
`

/** A section takes up to ten seconds on a machine of its own. */
export const LONG_MS = 300_000

/** Titles of the sections, in their order. */
export const SECTIONS = [...Object.keys(SHIPPED), 'broken crews'] as const

/** Of a shipped scenario; `profiles` are all that are shipped. */
export async function scenarioSection(name: string, profiles: readonly string[]): Promise<string> {
  const { note, speed, set } = SHIPPED[name]!
  const whys = whysIn(name)
  const rows: string[] = []
  for (const profile of profiles) {
    const options = { profile, ...(speed && { speed }), ...(set && { set }) }
    rows.push(await rowOf(name, profile, options, whys))
  }
  return `## ${name}\n\n${note === undefined ? '' : `${note}\n\n`}${COLUMNS}${rows.join('')}`
}

/** Of every `step`th crew. */
export async function brokenSection(step: number): Promise<string> {
  const rows: string[] = []
  const whys = whysIn('broken crews')
  const all = Object.entries(BROKEN).flatMap(([kind, crews]) =>
    crews.map((crew) => [kind, crew] as const),
  )
  for (const [kind, { fault, what }] of all.filter((_, i) => i % step === 0)) {
    const crew = `40 % of ${what}: \`${wordsOf(fault)}\``
    const options = { profile: 'default', faults: `{ name: ${kind}, ${fault} }` }
    rows.push(await rowOf('steady', crew, options, whys))
  }
  const note = 'The profile `default` with one fault, under `steady`; at least one row a kind.'
  return `## broken crews\n\n${note}\n\n${COLUMNS}${rows.join('')}`
}

/** What the row tells elsewhere is left out. */
function wordsOf(fault: string): string {
  return fault.replace(', chance: 40%', '').replace(/, operations: \[[^\]]*\]/, '')
}

async function rowOf(
  scenario: string,
  crew: string,
  options: RunOptions,
  whys: ReadonlyMap<string, string>,
): Promise<string> {
  const cells = [crew, ...(await verdictOf(scenario, options)), whys.get(crew) ?? UNSAID]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
}

/** The verdict, its exit code and its first reason; of a passing run its first problem. */
async function verdictOf(scenario: string, options: RunOptions): Promise<string[]> {
  try {
    const { document } = await run(scenario, { ...options, engine: 'virtual', out: false })
    const { outcome, problems, reasons } = document.verdict
    const word = problems > 0 ? `${outcome}, with problems` : outcome
    const problem = document.findings.find(({ severity }) => severity === 'problem')
    const reason = reasons[0]?.message ?? (problems > 0 ? problem?.message : undefined) ?? ''
    return [word, String(exitCodeOf(outcome, false)), reason]
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return ['usage error', String(EXIT.usage), error.message.split('\n')[0]!]
  }
}

/**
 * What the file has for a section, as `plain` gives it; where the file is to be written, the
 * section itself.
 */
export function inFile(title: string, section: string): string[] {
  if (IS_WRITTEN) write(title, section)
  return plain(sectionsOf(readFileSync(FILE, 'utf8')).get(title) ?? '')
}

export function titlesInFile(): string[] {
  return [...sectionsOf(readFileSync(FILE, 'utf8')).keys()]
}

/** Why a row is right, as long as nobody has said it. */
export const UNSAID = '?'

/** Why each row of a section is right, by its crew. */
export function whysIn(title: string): ReadonlyMap<string, string> {
  const rows = (sectionsOf(readFileSync(FILE, 'utf8')).get(title) ?? '').split(COLUMNS)[1]
  const cells = rows?.trim().split('\n') ?? []
  return new Map(
    cells.map((row) => {
      const [, crew = '', ...others] = row.split(/(?<!\\)\|/).map((cell) => cell.trim())
      return [crew.replaceAll('\\|', '|'), others.at(-2)!.replaceAll('\\|', '|')]
    }),
  )
}

function write(title: string, section: string): void {
  const sections = sectionsOf(readFileSync(FILE, 'utf8')).set(title, section)
  const texts = SECTIONS.flatMap((each) => sections.get(each)?.trimEnd() ?? [])
  writeFileSync(FILE, `${HEAD}${texts.join('\n\n')}\n`)
}

function sectionsOf(text: string): Map<string, string> {
  const parts = text.split(/^(?=## )/m).filter((part) => part.startsWith('## '))
  return new Map(parts.map((part) => [part.slice(3, part.indexOf('\n')), part]))
}

/** Spaces and dashes of a table do not count. */
export function plain(text: string): string[] {
  const lines = text.trimEnd().split('\n')
  return lines.map((line) => line.replaceAll(/\s+/g, ' ').replaceAll(/-{3,}/g, '---').trim())
}
