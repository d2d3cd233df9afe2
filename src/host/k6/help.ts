/** The environment variables and the metrics of a k6 script, as help texts. */
import { wrap } from '../../base/text.ts'
import { K6_METRICS } from './metrics.ts'
import { VARIABLES } from './settings.ts'

/** The other variables are only used between crewload and the processes that it starts. */
const MEANINGS: Partial<Record<keyof typeof VARIABLES, string>> = {
  target: 'base URL of the crew, if the script was made without one, or to override it',
  token: 'bearer tokens, one per line, used in rotation',
  headers: 'values of the extra headers, one "name: value" per line',
  runId: 'eight hex digits, the same for all processes of one run (default: random for each)',
  startEvery:
    'seconds: arrivals begin at the next whole multiple on the wall clock (default: immediately)',
  insecure: '1 accepts any certificate',
}

/** One line per variable, indented by two. */
export function variableLines(): string[] {
  const rows = Object.entries(MEANINGS).map(([key, meaning]): [string, string] => [
    VARIABLES[key as keyof typeof VARIABLES],
    meaning,
  ])
  return aligned(rows)
}

/** The same for the named metrics. */
export function metricLines(): string[] {
  const rows = Object.entries(K6_METRICS).map(([name, { kind, meaning }]): [string, string] => [
    name,
    `${kind}: ${meaning}`,
  ])
  return aligned(rows)
}

const WIDTH = 80

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.flatMap(([name, meaning]) =>
    wrap(meaning, WIDTH, `  ${name.padEnd(width)}  `, ' '.repeat(width + 4)),
  )
}
