/** The verdict on each crew stands in docs/verdicts.md, where people have read it; `CREWLOAD_WRITE_VERDICTS=1` writes it again. */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { exitCodeOf } from '../../src/cli/exit-codes.ts'
import { run } from '../../src/run/run.ts'
import type { Case } from './cases.ts'
import { CASES } from './cases.ts'

const FILE = fileURLToPath(new URL('../../docs/verdicts.md', import.meta.url))

const HEAD = `# Verdicts

What crewload says of crews whose state is known: shipped scenarios on fake crews in virtual time, and \`steady\`, cut to 100 minutes, on the profile
\`default\` with one fault that strikes 40 % of answers or executions. A test computes this table again. Each row was read and found right.

| scenario | crew | verdict | exit code | first reason | why this is right |
| --- | --- | --- | --- | --- | --- |
`

async function rowOf({ scenario, profile, fault, set, why }: Case): Promise<string> {
  const { document } = await run(scenario, {
    engine: 'virtual',
    profile,
    out: false,
    set,
    ...(fault === null ? {} : { faults: fault }),
  })
  const { outcome, reasons } = document.verdict
  const crew = fault === null ? profile : `${profile}, 40 %: ${/name: ([^,]+)/.exec(fault)![1]}`
  const reason = reasons[0]?.message ?? ''
  const cells = [scenario, crew, outcome, exitCodeOf(outcome, false), reason, why]
  return `| ${cells.join(' | ')} |\n`
}

/** The formatter pads the cells of tables. */
function plain(text: string): string[] {
  return text.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').replaceAll(/-{3,}/g, '---'))
}

test('crews, healthy and broken, get the verdicts that people found right', async () => {
  const rows: string[] = []
  for (const each of CASES) rows.push(await rowOf(each))
  const table = HEAD + rows.join('')
  if (process.env['CREWLOAD_WRITE_VERDICTS'] === '1') await writeFile(FILE, table)
  expect(plain(table)).toEqual(plain(await readFile(FILE, 'utf8')))
}, 120_000)
