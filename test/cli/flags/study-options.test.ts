import { Command } from 'commander'
import { expect, test } from 'vitest'
import { scenarioStudyOptions } from '../../../src/cli/flags/definitions.ts'
import type { PlanFlags, StudyFlags } from '../../../src/cli/flags/definitions.ts'
import { ownFlags, scenarioFlags } from '../../../src/cli/flags/study-options.ts'

type Flags = StudyFlags & PlanFlags & { size?: string }

const SHARED = '--target http://x --profile fast --dialect platform --token-file f --header a:b'
const SHOWN = '--ca c --insecure --dry-run --yes --json --quiet --out there'
const PLAN =
  '--seed 1 --speed 2 --max-kickoffs 3 --max-requests 4 --max-duration 5s --max-cost 6 ' +
  '--cost-per-kickoff 7'

function parsed(...lines: string[]): Flags {
  const command = scenarioStudyOptions(new Command().option('--size <n>'))
  return command.parse(lines.join(' ').split(' '), { from: 'user' }).opts<Flags>()
}

test('what is read elsewhere is no option of a study', () => {
  expect(scenarioFlags(parsed(SHARED, SHOWN, '--size 8'))).toEqual({
    size: '8',
    out: 'there',
    set: {},
    budget: {},
  })
})

test('the plan of a study that runs a scenario is read from its flags once', () => {
  expect(scenarioFlags(parsed(PLAN))).toEqual({
    out: 'reports',
    set: {},
    seed: 1,
    speed: 2,
    budget: { kickoffs: 3, requests: 4, wallMicros: 5_000_000 },
    maxCost: 6,
    costPerKickoff: 7,
  })
})

test('a study without a scenario has budgets of its own', () => {
  expect(ownFlags(parsed(SHARED, SHOWN, '--max-requests 4'))).toEqual({
    maxRequests: 4,
    out: 'there',
    set: {},
  })
})
