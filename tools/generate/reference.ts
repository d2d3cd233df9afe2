/**
 * Generates the tables of `docs/reference.md` from the lists: what a profile and a scenario can
 * name.
 */
import type { FaultKindName } from '../../fake-crew/model/faults/kinds/list.ts'
import { FAULT_KIND_NAMES, definitionNamed } from '../../fake-crew/model/faults/kinds/list.ts'
import { EVERY_OPERATION } from '../../fake-crew/model/faults/definition.ts'
import { parseFaults } from '../../fake-crew/model/parse.ts'
import { HEADER_DIALECTS } from '../../fake-crew/model/limits/headers.ts'
import { LIMITER_NAMES, limiterNamed } from '../../fake-crew/model/limits/algorithms/list.ts'
import type { Option } from '../../src/base/options/table.ts'
import { optionsIn } from '../../src/base/options/table.ts'
import type { CommandDefinition } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/program.ts'
import { CONTRACT_RULES } from '../../src/crew/contract/rules.ts'
import { PROCESS_WORDS } from '../../src/scenario/arrivals/processes.schema.ts'
import { POLLING_WORDS } from '../../src/scenario/polling/schemas.ts'
import { METRIC_FAMILIES } from '../../src/scenario/thresholds/metrics.ts'
import { code, table } from './table.ts'
import { exportedLabels, exportedMetrics } from './telemetry.ts'
import { flow } from './yaml.ts'

export function reference(): string {
  return `${[
    '# Reference',
    'Everything that a profile, a threshold or a report can name. This file is generated from the code (`npm run generate`).',
    '## Commands and their options',
    'Options that several commands have are listed once, where they first stand. `crewload COMMAND --help` lists all of one.',
    ...commands(),
    '## Faults of the fake crew',
    'One of these keys in an entry of `faults`, beside `operations`, `window` or `episodes`, `first`, `nth`, `chance`. A proxy puts faults in front of a real target; some need executions of the fake crew.',
    faults(),
    '## Limiters of the fake crew',
    'One of these keys in an entry of `limits.rules`.',
    limiters(),
    '## Header dialects of limits',
    'The value of `limits.headers`: what each answer says of the limits that its request has met.',
    headerDialects(),
    '## Arrival processes',
    'How open arrivals fall around their rate: the value of `arrivals.process` in a scenario.',
    processes(),
    '## Polling strategies',
    'The value of `polling` in a scenario.',
    strategies(),
    '## Metrics',
    'Names for `thresholds`, as `crewload schema metrics` prints them.',
    metrics(),
    '## Metrics while a run goes',
    'What `--prometheus` and `--otlp` export, and its name in the outputs of k6.',
    exportedMetrics(),
    'Each label has few values, whatever a target answers.',
    exportedLabels(),
    '## Rules of the contract',
    'What `crewload check` and every run hold against the answers; `crewload schema contract` says where each stands. Assumed rules stand where the interface is silent; they decide no verdict unless a threshold names them.',
    contract(),
  ].join('\n\n')}\n`
}

/** A table a command, with the options that no command before it has in the same words. */
function commands(): string[] {
  const told = new Set<string>()
  return COMMANDS.flatMap((command) => ofCommand(command, command.name, told))
}

function ofCommand(command: CommandDefinition, name: string, told: Set<string>): string[] {
  if ('commands' in command) {
    return command.commands.flatMap((each) => ofCommand(each, `${name} ${each.name}`, told))
  }
  const rows = optionsIn(command.options ?? {})
    .map(({ option }) => option)
    .filter(({ flag, hidden }) => flag !== undefined && hidden !== true)
    .map(optionRow)
  const others = rows.filter((row) => !told.has(row.join()))
  for (const row of rows) told.add(row.join())
  const head = `### crewload ${name}`
  return others.length === 0
    ? [head, 'No options of its own.']
    : [head, table(['Option', 'Meaning', 'Default'], others)]
}

function optionRow({ flag = '', help = '', ...row }: Option): string[] {
  const isShown = row.default !== undefined && typeof row.default !== 'boolean'
  const { otherwise = isShown ? JSON.stringify(row.default) : '' } = row
  const flags = row.no === undefined ? code(flag) : `${code(flag)}, ${code(row.no.flag)}`
  return [flags, help, otherwise]
}

function faults(): string {
  return table(
    ['Kind', 'What goes wrong', 'Strikes', 'By a proxy', 'Example'],
    FAULT_KIND_NAMES.map((kind) => {
      const { description, reach, examples } = definitionNamed(kind)
      const strikes = reach === EVERY_OPERATION ? 'every request' : [reach].flat().join(', ')
      return [code(kind), description, strikes, byProxy(kind), code(flow(examples[0]))]
    }),
  )
}

/** Whether a proxy can apply the examples in front of a target. */
function byProxy(kind: FaultKindName): string {
  const definition = definitionNamed(kind)
  const problem = definition.examples
    .flatMap((example) => parseFaults(JSON.stringify(example), kind))
    .map(({ what }) => definition.proxyProblem?.(what) ?? null)
    .find((each) => each !== null)
  if (problem === undefined) return 'yes'
  return problem.condition === null ? 'no' : `with ${problem.condition}`
}

function limiters(): string {
  return table(
    ['Key', 'Requests that pass', 'Example'],
    LIMITER_NAMES.map((name) => {
      const { description, example } = limiterNamed(name)
      return [code(name), description, code(flow({ [name]: example }))]
    }),
  )
}

function headerDialects(): string {
  return table(
    ['Name', 'Header fields'],
    Object.entries(HEADER_DIALECTS).map(([name, { description }]) => [code(name), description]),
  )
}

function processes(): string {
  return table(
    ['Name', 'Arrivals', 'Example'],
    Object.entries(PROCESS_WORDS).map(([kind, { description, example }]) => [
      code(kind),
      description,
      code(flow(example)),
    ]),
  )
}

function strategies(): string {
  return table(
    ['Key', 'Intervals between polls', 'Example'],
    Object.entries(POLLING_WORDS).map(([kind, { description, example }]) => [
      code(kind),
      description,
      code(flow(example)),
    ]),
  )
}

function metrics(): string {
  return table(
    ['Name', 'Unit', 'Meaning'],
    METRIC_FAMILIES.map(({ pattern, unit, meaning, each = {} }) => [
      code(pattern),
      unit,
      [meaning, ...Object.entries(each).map(([word, text]) => `${code(word)}: ${text}`)].join(' '),
    ]),
  )
}

function contract(): string {
  return table(
    ['Rule', 'Operation', 'Dialect', 'What must hold', 'Basis'],
    CONTRACT_RULES.map(({ name, operation, dialect, requires, basis }) => [
      code(name),
      operation,
      dialect,
      requires,
      basis,
    ]),
  )
}
