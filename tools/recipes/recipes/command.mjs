/** A command that prints where crewload is installed. */
import { equal, match } from 'node:assert/strict'

export const command = {
  headings: ['A command'],
  name: 'where',
  files: {
    'src/cli/commands/where.ts': `/** \`crewload where\`: the folder of this package. */
import type { Given, OptionTable } from '../../base/options/table.ts'
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { JSON_RESULT } from '../flags/output.ts'

const WHERE = { json: { ...JSON_RESULT, help: 'print it as JSON' } } satisfies OptionTable

export const where: MainCommand = {
  name: 'where',
  group: 'This machine',
  description: 'print the folder of this package',
  options: WHERE,
  async act(io, { json = false }: Given<typeof WHERE>) {
    const { packageRoot } = await import('../../run/environment/package.ts')
    const root = packageRoot()
    io.stdout.write(json ? \`\${JSON.stringify({ root })}\\n\` : \`\${root}\\n\`)
    return EXIT.passed
  },
}
`,
  },
  lines: [
    {
      path: 'src/cli/program.ts',
      before: '\nexport const COMMANDS',
      text: "import { where } from './commands/where.ts'\n",
    },
    { path: 'src/cli/program.ts', before: '  doctor,\n', text: '  where,\n' },
  ],
  elsewhere: 2,
  tests: ['what is loaded before', 'tells every command'],

  async prove({ cli, root }) {
    match((await cli('--help')).stdout, /This machine:\n +where \[options\] +print the folder/)
    match((await cli('where', '--help')).stdout, /--json +print it as JSON/)
    const { code, stdout } = await cli('where', '--json')
    equal(code, 0)
    equal(JSON.parse(stdout).root, root)
  },
}
