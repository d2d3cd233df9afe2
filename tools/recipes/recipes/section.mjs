/** A section of a run's report: whether its seed is lucky. */
import { equal } from 'node:assert/strict'

export const section = {
  headings: ["A section of a run's report"],
  name: 'luck',
  files: {
    'src/report/run/sections/luck.ts': `/** Whether the seed is even, for those who care. */
import type { RunSection } from './section.ts'

export const LUCK: RunSection = {
  chapter: 'Luck',
  title: 'The luck of the seed',
  blocks: ({ run }) => [
    { kind: 'prose', text: \`The seed \${run.seed} is \${run.seed % 2 === 0 ? 'even' : 'odd'}.\` },
  ],
  facts: ({ run }) => [{ name: 'Luck', text: run.seed % 2 === 0 ? 'even' : 'odd' }],
}
`,
  },
  lines: [
    {
      path: 'src/report/run/sections/list.ts',
      before: 'export { TRUST ',
      text: "export { LUCK as at265 } from './luck.ts'\n",
    },
  ],
  elsewhere: 1,
  tests: [],

  async prove({ cli, found }) {
    const { stdout } = await cli(
      'run',
      'smoke',
      '--profile',
      'fast',
      '--engine',
      'virtual',
      '--seed',
      '7',
      '--out',
      'runs-section',
    )
    equal(/Luck +odd/i.test(stdout), true, 'the terminal tells it')
    for (const file of ['report.html', 'summary.md']) {
      equal(found('runs-section', file).includes('The seed 7 is odd.'), true, file)
    }
  },
}
