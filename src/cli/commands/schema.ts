/** `crewload schema`: the published schemas, the grammar of metric names, and the contract. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CONTRACT_RULES } from '../../crew/contract/contract.ts'
import { nearestName, UserError } from '../../base/mistakes.ts'
import { packageRoot } from '../../run/environment/package-root.ts'
import type { MetricFamily } from '../../scenario/thresholds/metrics/index.ts'
import { METRIC_FAMILIES } from '../../scenario/thresholds/metrics/index.ts'
import { STUDIES } from '../../study/list.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'

const STUDY_NAMES = STUDIES.map(({ name }) => name)
const DOCUMENTS = ['profile', 'scenario', 'result', 'journal', 'ledger', ...STUDY_NAMES]
const NAMES: readonly string[] = [...DOCUMENTS, 'metrics', 'contract']

/** Everything is JSON on stdout, for editors and scripts; without a name, the names. */
export async function schemaCommand(name: string | undefined, io: Io): Promise<number> {
  if (name === undefined) io.stdout.write(`${NAMES.join('\n')}\n`)
  else io.stdout.write(await textOf(name))
  return EXIT.passed
}

async function textOf(name: string): Promise<string> {
  if (name === 'metrics') return pretty(METRIC_FAMILIES.map(published))
  if (name === 'contract') return pretty(CONTRACT_RULES)
  if (!NAMES.includes(name)) throw unknownName(name)
  return readFile(join(packageRoot(), 'schemas', `${name}.schema.json`), 'utf8')
}

/** The grammar, without what the program alone makes of it. */
function published(family: MetricFamily): Partial<MetricFamily> {
  const { kind, pattern, unit, time, meaning, each } = family
  return { kind, pattern, unit, time, meaning, ...(each !== undefined && { each }) }
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function unknownName(name: string): UserError {
  const nearest = nearestName(name, NAMES)
  return new UserError({
    source: 'schema',
    path: '',
    found: JSON.stringify(name),
    problem: `expected one of ${NAMES.join(', ')}`,
    ...(nearest === undefined ? {} : { nearest }),
  })
}
