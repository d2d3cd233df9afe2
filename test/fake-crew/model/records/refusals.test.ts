/** Requests that were turned away leave a mark: which, when, and by what. */
import { expect, test } from 'vitest'
import { Client } from '../../client.ts'
import { SECOND, sampleProfile } from '../../sample-profile.ts'
import { ONCE, limited, rule } from '../limits/rules.ts'
import { areExperimentsRun } from '../../../experiments.ts'

test('a refusal by a limit names it, and the execution that was asked about', () => {
  const limits = [
    rule({ name: 'kickoffs', operations: ['kickoff'], algorithm: ONCE }),
    rule({ name: 'polls', operations: ['status'], algorithm: ONCE }),
  ]
  const client = new Client(limited(limits))
  const headers = { 'x-correlation-id': 'run-7' }
  const id = client.kickoff()
  client.status(id, SECOND)
  client.ask('GET', `/status/${id}`, { headers }, 2 * SECOND)
  client.kickoffReply(3 * SECOND)
  client.ask('GET', '/nowhere', {}, 4 * SECOND)
  expect(client.crew.refusals.all()).toEqual([
    {
      refused_by: 'polls',
      operation: 'status',
      at_ms: 2_000,
      status: 429,
      correlation: 'run-7',
      kickoff_id: id,
    },
    {
      refused_by: 'kickoffs',
      operation: 'kickoff',
      at_ms: 3_000,
      status: 429,
      correlation: null,
      kickoff_id: null,
    },
  ])
})

test('a full queue is named as the queue', () => {
  const { capacity } = sampleProfile()
  const client = new Client(sampleProfile({ capacity: { ...capacity, workers: 1, queueLimit: 0 } }))
  client.kickoff()
  client.kickoffReply(SECOND)
  expect(client.crew.refusals.all()).toEqual([
    {
      refused_by: 'queue',
      operation: 'kickoff',
      at_ms: 1_000,
      status: 503,
      correlation: null,
      kickoff_id: null,
    },
  ])
})

test.runIf(areExperimentsRun)(
  'the latest are kept; the metrics count them all, and those that are told no more',
  () => {
    const client = new Client(limited([rule({ algorithm: ONCE })]))
    for (let n = 0; n <= 200_010; n++) client.ask('GET', '/inputs')
    expect(client.crew.refusals.all()).toHaveLength(100_010)
    const metrics = client.crew.metrics(0)
    expect(metrics).toContain('fake_crew_refused_total{limit="default"} 200010\n')
    expect(metrics).toContain('fake_crew_marks_dropped_total{list="refusals"} 100000\n')
  },
)
