/** A finding: 77 executions completed. */
import { deepEqual, equal } from 'node:assert/strict'

export const finding = {
  headings: ['A finding'],
  name: 'seventy-seven',
  files: {},
  lines: [
    {
      path: 'src/result/sentences/findings.ts',
      before: "  'inputs-missing': finding(\n",
      text: `  /** For those who like this number. */
  'seventy-seven': finding(
    'info',
    { completed: count },
    ({ completed }) => \`\${plural(completed, 'execution')} completed\`,
  ),
`,
    },
    {
      path: 'src/result/verdict/finding-rules.ts',
      before: "  ['ledger-missing', (sources)",
      text: "  ['seventy-seven', (s) => ifSo(s.observations.window.outcomes, (o) => o.completed === 77)],\n",
    },
    {
      path: 'test/result/findings.test.ts',
      before: "test('a note of the journal is passed on'",
      text: `test('a count of 77 executions is named', () => {
  expect(documentOf(journalLines({ executions: 77 })).findings).toMatchObject([
    { code: 'seventy-seven', severity: 'info', message: '77 executions completed', completed: 77 },
  ])
})

`,
    },
  ],
  elsewhere: 1,
  tests: ['a count of 77 executions is named'],

  async prove({ cli, read }) {
    const run = ['run', 'smoke', '--profile', 'fast', '--engine', 'virtual', '--json']
    const many = ['--set', 'arrivals.iterations=77', '--out', 'runs-finding']
    const { findings } = JSON.parse((await cli(...run, ...many)).stdout)
    deepEqual(
      findings.filter(({ code }) => code === 'seventy-seven'),
      [
        {
          code: 'seventy-seven',
          severity: 'info',
          message: '77 executions completed',
          completed: 77,
        },
      ],
    )
    equal(read('schemas/result.schema.json').includes('seventy-seven'), true)
  },
}
