/** A field of an execution's record: how many of its kickoffs were retries. */
import { equal, match } from 'node:assert/strict'

export const recordField = {
  headings: ["A field of an execution's record"],
  name: 'kickoffRetries',
  files: {},
  lines: [
    {
      path: 'src/execution/record/execution-fields.ts',
      before: '  /** Polls whose answer saw no change. */\n',
      text: `  /** Kickoffs after the first. */
  kickoffRetries: field('integer', 0),
`,
    },
    {
      path: 'src/execution/ending.ts',
      before: '  record.endedMicros = atMicros\n',
      after: true,
      text: '  record.kickoffRetries = Math.max(0, execution.kickoffs - 1)\n',
    },
  ],
  elsewhere: 1,
  tests: [],

  async prove({ cli, folder, load, read, records }) {
    const run = ['run', 'smoke', '--engine', 'virtual', '--out', 'runs-field', '--seed', '7']
    const faults = ['--profile', 'rate-limited']
    await cli(...run, ...faults)
    const told = records('runs-field')
    for (const { kickoff, kickoffRetries } of told) {
      equal(kickoffRetries, Math.max(0, kickoff.answer.length - 1))
    }
    equal(told.length > 0, true)
    const { readJournal } = await load('src/journal/reader.ts')
    let total = 0
    for await (const line of readJournal(`${folder('runs-field')}/executions.ndjson`)) {
      if (line.type === 'ended') total += line.record.kickoffRetries
    }
    equal(
      total,
      told.reduce((sum, { kickoffRetries }) => sum + kickoffRetries, 0),
    )
    match(read('schemas/journal.schema.json'), /"kickoffRetries"/)
  },
}
