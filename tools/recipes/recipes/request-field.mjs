/** A field of a request: how long it was with the host. */
import { equal, match } from 'node:assert/strict'

export const requestField = {
  headings: ['A field of a request'],
  name: 'hostMicros',
  files: {},
  lines: [
    {
      path: 'src/execution/record/request-fields.ts',
      before: "  answer: 'answerCode',\n",
      text: `  /** The time from the hand-over to the host to the end. */
  hostMicros: 'micros',
`,
    },
    {
      path: 'src/execution/request-notes.ts',
      before: '    fresh: newConnection',
      text: '    hostMicros: doneMicros - releasedMicros,\n',
    },
  ],
  elsewhere: 1,
  tests: ['logs that share a memory give back every field'],

  async prove({ cli, folder, load, read, records }) {
    const run = ['run', 'smoke', '--engine', 'virtual', '--profile', 'fast', '--seed', '7']
    await cli(...run, '--out', 'runs-request-field')
    const lists = records('runs-request-field').flatMap(({ kickoff, polls }) => [kickoff, polls])
    equal(lists.length > 0, true)
    for (const { hostMicros, waitMicros, serviceMicros } of lists) {
      for (const [i, micros] of hostMicros.entries()) {
        equal(micros, waitMicros[i] + Math.max(0, serviceMicros[i]))
      }
      equal(hostMicros.length, waitMicros.length)
    }
    const { readJournal } = await load('src/journal/reader.ts')
    const { requestsIn } = await load('src/execution/record/request.ts')
    let seen = 0
    const journal = readJournal(`${folder('runs-request-field')}/executions.ndjson`)
    for await (const line of journal) {
      if (line.type !== 'ended') continue
      for (const request of requestsIn(line.record.polls, 0)) {
        equal(request.hostMicros, request.doneMicros - request.intendedMicros - request.lateMicros)
        seen++
      }
    }
    equal(seen > 0, true)
    match(read('schemas/journal.schema.json'), /"hostMicros"/)
  },
}
