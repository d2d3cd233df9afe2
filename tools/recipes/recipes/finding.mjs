/** A finding: 77 executions completed. */
import { deepEqual, equal } from 'node:assert/strict'

export const finding = {
  headings: ['A finding'],
  name: 'seventy-seven',
  files: {},
  lines: [
    {
      path: 'src/result/verdict/collect-findings.ts',
      before: '/** Null for those that make a run INVALID',
      text: `/** For those who like this number. */
function seventySevenFindings({ window }: Observations): RunFinding[] {
  if (window.outcomes.completed !== 77) return []
  return [findingOf('seventy-seven', '77 executions completed')]
}

`,
    },
    {
      path: 'src/result/verdict/collect-findings.ts',
      before: '    ...inputFindings(observations),\n',
      text: '    ...seventySevenFindings(observations),\n',
    },
    {
      path: 'src/result/finding.ts',
      before: "  'inputs-missing': 'info',\n",
      text: "  'seventy-seven': 'info',\n",
    },
    {
      path: 'test/result/findings.test.ts',
      before: "test('a note of the journal is passed on'",
      text: `test('a count of 77 executions is named', () => {
  expect(documentOf(journalLines({ executions: 77 })).findings).toMatchObject([
    { code: 'seventy-seven', severity: 'info', message: '77 executions completed' },
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
        },
      ],
    )
    equal(read('schemas/result.schema.json').includes('seventy-seven'), true)
  },
}
