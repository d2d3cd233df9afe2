/** An option of a study: a remark, which its folder keeps. */
import { equal, match } from 'node:assert/strict'

export const option = {
  headings: ['An option'],
  name: 'polling',
  files: {},
  lines: [
    {
      path: 'src/study/polling/options.ts',
      before: '  out: OUT,\n',
      text: "  remark: kept('--remark <text>', 'a remark that the folder keeps', text),\n",
    },
  ],
  elsewhere: 0,
  tests: [],

  async prove({ cli, found, read }) {
    match(
      (await cli('polling', '--help')).stdout,
      /--remark <text> +a remark that the folder keeps/,
    )
    match(read('docs/reference.md'), /`--remark <text>` \| a remark that the folder keeps/)
    const args = ['--profile', 'fast', '--executions', '50', '--remark', 'first', '--json']
    equal((await cli('polling', ...args, '--out', 'runs-option')).code === 2, false)
    equal(JSON.parse(found('runs-option', 'study.json')).asked.options.remark, 'first')
  },
}
