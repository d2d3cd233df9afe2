/**
 * A hostile target makes data: every row ends as it must, in time, and nothing crashes or hangs.
 */
import { expect, test } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { IncidentsTally } from '../../src/result/counting/tallies/incidents.ts'
import { SendingBudget } from '../../src/engine/sending-budget.ts'
import { createNodeHost } from '../../src/host/node/index.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'
import { testPlan } from '../support/plan.ts'
import * as act from './acts.ts'
import type { Row } from './row.ts'
import { ROW_LIMITS } from './row.ts'
import { BODY_ROWS } from './rows/bodies.ts'
import { KICKOFF_ROWS } from './rows/kickoffs.ts'
import { STATE_ROWS } from './rows/states.ts'
import { TRANSPORT_ROWS } from './rows/transport.ts'
import type { Behaviour } from './server.ts'
import { startHostile } from './server.ts'

const ROWS = [...TRANSPORT_ROWS, ...KICKOFF_ROWS, ...BODY_ROWS, ...STATE_ROWS]
const TOKEN = 'f00dfeedcafe'

/** Runs the row's plan through the real engine and host, to the journal's last line. */
async function run(row: Row): Promise<{ lines: JournalLine[]; kickoffs: number; tookMs: number }> {
  const behaviour: Behaviour = {
    inputs: act.json({ inputs: [] }),
    kickoff: act.started,
    status: act.completed(),
    ...row.behaviour,
  }
  const target = await startHostile({
    ...behaviour,
    kickoff: (socket, call) => {
      if (row.refusesAfterKickoff === true) void target.refuse()
      behaviour.kickoff(socket, call)
    },
  })
  const limits = ROW_LIMITS[row.limit ?? 'none']
  const plan = testPlan({
    deadlineMicros: limits.deadlineMs * MICROS_PER_MS,
    http: {
      requestTimeoutMicros: limits.requestTimeoutMs * MICROS_PER_MS,
      firstCallTimeoutMicros: limits.firstCallTimeoutMs * MICROS_PER_MS,
    },
    ...row.plan,
  })
  const lines: JournalLine[] = []
  const host = await createNodeHost({
    target: target.url,
    tokens: [TOKEN],
    http: plan.http,
    emit: (line) => lines.push(line),
    budget: new SendingBudget(plan.budget),
  })
  host.startClock()
  await new Promise<unknown>((onDone) => {
    createEngine(plan, host, { runId: 'hostile', instance: 0, instances: 1, onDone }).start()
  })
  const tookMs = host.now() / MICROS_PER_MS
  await host.close()
  await target.close()
  const kickoffs = target.calls.filter((call) => call.operation === 'kickoff').length
  return { lines, kickoffs, tookMs }
}

/** Over the whole run. */
function rulesBroken(lines: readonly JournalLine[]): Set<string> {
  const tally = new IncidentsTally()
  for (const line of lines) {
    if (line.type === 'accepted') tally.accepted(line.kickoffId, line.index)
    if (line.type === 'incident') tally.line(line)
    const violations = line.type === 'ended' ? line.record.violations : []
    for (const violation of violations) {
      tally.violation(violation, { atMicros: 0, index: 0, kickoffId: null })
    }
  }
  return new Set(tally.rules.keys())
}

async function check(row: Row): Promise<void> {
  const memoryBefore = process.memoryUsage.rss()
  const { lines, kickoffs, tookMs } = await run(row)
  const records = lines.flatMap((line) => (line.type === 'ended' ? [line.record] : []))
  const last = records.at(-1)
  expect(records.map((record) => record.outcome)).toEqual(records.map(() => row.outcome))
  expect(last?.kickoff.answer.at(-1)).toBe(row.kickoff ?? 200)
  expect(last?.polls.answer).toEqual(
    expect.arrayContaining(row.poll === undefined ? [] : [row.poll]),
  )
  expect(rulesBroken(lines)).toEqual(new Set(row.rules))
  expect(kickoffs).toBe(row.kickoffs ?? 1)
  expect(tookMs).toBeLessThan(ROW_LIMITS[row.limit ?? 'none'].withinMs)
  expect(process.memoryUsage.rss() - memoryBefore).toBeLessThan(row.growsAtMostBytes ?? Infinity)
  expect(lines.at(-1)).toMatchObject({ type: 'finished', engine: { arrivals: records.length } })
  expect(JSON.stringify(lines)).not.toContain(TOKEN)
}

test('each row has a name of its own', () => {
  expect(new Set(ROWS.map((row) => row.name)).size).toBe(ROWS.length)
})

// Rows that only wait do so together; those whose memory is measured have the process to
// themselves.
test.concurrent.each(ROWS.filter((row) => row.growsAtMostBytes === undefined))('$name', check)
test.each(ROWS.filter((row) => row.growsAtMostBytes !== undefined))('$name', check)
