/**
 * `crewload schema`: prints the published schemas, the grammar of metric names, and the contract.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nearTo, UserError } from '../../base/mistakes.ts'
import { text } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { option } from '../../base/options/table.ts'
import type { MetricFamily } from '../../scenario/thresholds/metrics.ts'
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'

const SCHEMA = {
  name: option('[name]', 'name of the schema; without one, all names are listed', text),
} satisfies OptionTable

export const schema: MainCommand = {
  name: 'schema',
  group: 'Files and CI',
  description: 'print a JSON Schema, the metrics or the contract',
  options: SCHEMA,
  /** Everything is printed as JSON on stdout for editors and scripts; without a name, the names. */
  async act(io, { name }: Given<typeof SCHEMA>) {
    const texts = await textsByName()
    if (name === undefined) {
      io.stdout.write(`${[...texts.keys()].join('\n')}\n`)
      return EXIT.passed
    }
    const print = texts.get(name)
    if (print === undefined) throw unknownName(name, [...texts.keys()])
    io.stdout.write(await print())
    return EXIT.passed
  },
}

type Text = () => Promise<string>

async function textsByName(): Promise<Map<string, Text>> {
  const { STUDIES } = await import('../../study/list.ts')
  const studies = STUDIES.map(({ name }) => name)
  const written = ['profile', 'scenario', 'scenario-mix']
  const documents = [...written, 'result', 'mix', 'journal', 'ledger', ...studies]
  return new Map([
    ...documents.map((name): [string, Text] => [name, async () => published(name)]),
    ['metrics', metrics],
    ['contract', contract],
  ])
}

async function published(name: string): Promise<string> {
  const { packageRoot } = await import('../../run/environment/package.ts')
  return readFile(join(packageRoot(), 'schemas', `${name}.schema.json`), 'utf8')
}

async function metrics(): Promise<string> {
  const { METRIC_FAMILIES } = await import('../../scenario/thresholds/metrics.ts')
  return pretty(METRIC_FAMILIES.map(grammarOf))
}

/** Omits the fields that only the program uses. */
function grammarOf(family: MetricFamily): Partial<MetricFamily> {
  const { kind, pattern, unit, time, meaning, each } = family
  return { kind, pattern, unit, time, meaning, ...(each !== undefined && { each }) }
}

async function contract(): Promise<string> {
  return pretty((await import('../../crew/contract/rules.ts')).CONTRACT_RULES)
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function unknownName(name: string, names: readonly string[]): UserError {
  return new UserError({
    source: 'schema',
    found: JSON.stringify(name),
    problem: `expected one of ${names.join(', ')}`,
    ...nearTo(name, names),
  })
}
