/**
 * When a broken rule of the contract is a note, a warning, or a problem that a green page would
 * hide.
 */
import { expect, test } from 'vitest'
import { run } from '../../../src/run/run.ts'
import { testThreshold } from '../../support/plan.ts'
import { runLine } from '../lines.ts'
import { findingsIn, groupOf, observationsOf } from '../observations.ts'

function severityOf(rule: string, count: number, thresholds: string[] = []): string | undefined {
  const example = { atMicros: 0, index: 0, kickoffId: null, seen: 'what was seen' }
  const rules = new Map([[rule, { count, example }]])
  const observations = observationsOf({
    contract: { answers: 10_000, confirmations: 10, rules },
    window: groupOf({ arrivals: 1_000 }),
  })
  const plan = {
    ...runLine().plan,
    thresholds: thresholds.map((metric) => testThreshold(metric, 0)),
  }
  const [finding] = findingsIn({ observations, plan })
  return finding?.severity
}

test.each([
  ['what a tenth of the executions contradict', 'completed-tasks-never-decrease', 100, 'problem'],
  ['what a few contradict', 'completed-tasks-never-decrease', 20, 'info'],
  ['what half of the polls after the end contradict', 'terminal-state-is-final', 5, 'problem'],
  ['what one poll after the end contradicts', 'terminal-state-is-final', 1, 'info'],
  ['a form that is assumed, though all answers have another', 'result-has-tasks', 1_000, 'info'],
  ['a documented form that a tenth does not have', 'content-type-json', 100, 'problem'],
  ['a documented form that a few do not have', 'content-type-json', 20, 'warning'],
  ['one answer of GET /inputs', 'inputs-content-type-json', 1, 'warning'],
  ['a rule of another version', 'some-rule-to-come', 1_000, 'info'],
])('%s', (_, rule, count, severity) => {
  expect(severityOf(rule, count)).toBe(severity)
})

test('what a threshold judges is no problem beside it', () => {
  expect(severityOf('content-type-json', 100, ['contract.documented'])).toBe('warning')
  expect(severityOf('completed-tasks-never-decrease', 100, ['contract.documented'])).toBe('problem')
  expect(severityOf('completed-tasks-never-decrease', 100, ['contract.violations'])).toBe('info')
})

test.each([
  ['backwards: {}', /completed-tasks-never-decrease .* in \d+ of 1,010 executions \(4\d\.\d %\)/],
  ['flip: {}', /terminal-state-is-final .* in \d+ of \d+ polls after the end \(\d\d/],
])('a crew that contradicts itself passes with a problem: %s', async (kind, message) => {
  const { document } = await run('steady', {
    engine: 'virtual',
    profile: 'default',
    out: false,
    faults: `{ ${kind}, chance: 40% }`,
  })
  expect(document.verdict).toMatchObject({ outcome: 'passed', problems: 1 })
  expect(document.findings[0]).toMatchObject({
    severity: 'problem',
    message: expect.stringMatching(message),
  })
})
