/** The command that a report shows repeats the run, and holds nothing that may be secret. */
import { expect, test } from 'vitest'
import { commandWords } from '../../../src/cli/flags/command-words.ts'

test.each([
  [['run', 'a b.ts', '--seed', '7'], "crewload run 'a b.ts' --seed 7"],
  [['run', '--header', 'x-key: sesame'], "crewload run --header 'x-key: ***'"],
  [['run', '--header=x-key:sesame=1'], "crewload run '--header=x-key: ***'"],
  [['limits', '--inputs', '{"topic":"sesame"}'], "crewload limits --inputs '{***}'"],
  [['limits', '--inputs={"topic":"sesame"}'], "crewload limits '--inputs={***}'"],
  [['check', '--members', '{"meta":"sesame=1"}'], "crewload check --members '{***}'"],
  [['run', '--set', 'deadline=9m'], 'crewload run --set deadline=9m'],
])('%j', (args, words) => {
  expect(commandWords(args)).toBe(words)
})
