/**
 * A scenario whose own functions fail: told before anything is sent where it can be known, and
 * never a run that passes.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../src/result/document.ts'
import { run } from '../../src/run/index.ts'
import { prepare } from '../../src/run/plan/prepare.ts'
import { loaded } from '../../src/run/scenario/load.ts'
import { temporaryFolder } from '../support/cli.ts'
import { runTerminal } from '../support/run-shown.ts'

/** Written as a file, so that places are those of what a user writes. */
function fileOf(parts: string): string {
  return `export default {
  name: 'mine',
  arrivals: { rate: '1/s', for: '40s', process: 'uniform' },
  deadline: '20m',
  polling: { fixed: '2s' },
  ${parts}
}
`
}

async function ran(parts: string): Promise<ResultDocument> {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'mine.ts')
  await writeFile(path, fileOf(parts))
  const { document } = await run(path, { engine: 'virtual', profile: 'fast', out: false })
  return document
}

async function refused(parts: string): Promise<string> {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'mine.ts')
  await writeFile(path, fileOf(parts))
  const error = await prepare(loaded(path), { engine: 'virtual', profile: 'fast' }).catch(
    (thrown: Error) => thrown,
  )
  return error instanceof Error ? error.message : 'not refused'
}

const FITTING = "inputs: { topic: 'bees', audience: 'children' },"

describe('while it runs', () => {
  test.each([
    [
      'inputs that throw for one arrival of forty',
      `inputs: ({ index }) => {
        if (index === 7) throw new Error('no such row')
        return { topic: 'bees', audience: 'children' }
      },`,
      /inputs failed for 1 of 40 arrivals, first for arrival 7: Error: no such row \(\S*mine\.ts:7:32\)/,
    ],
    [
      'inputs that cannot be JSON',
      "inputs: ({ index }) => ({ topic: index > 3 ? 7n : 'bees', audience: 'all' }),",
      /inputs failed for 36 of 40 arrivals, first for arrival 4: TypeError: Do not know how to serialize a BigInt/,
    ],
    [
      'a promise that is rejected',
      "inputs: ({ index }) => index > 3 ? Promise.reject(new Error('late')) : { topic: '', " +
        "audience: '' },",
      /inputs failed for 36 of 40 arrivals, first for arrival 4: inputs must return its result, not a promise/,
    ],
    [
      'a value that is a promise',
      "inputs: ({ index }) => ({ topic: index > 3 ? Promise.reject(new Error('late')) : '', " +
        "audience: '' }),",
      /inputs failed for 36 of 40 arrivals, first for arrival 4: inputs must hold values, and "topic" is a promise/,
    ],
    [
      'tags that are no text',
      `${FITTING} tags: ({ index }) => ({ number: index > 3 ? index : 'few' }),`,
      /tags failed for 36 of 40 arrivals, first for arrival 4: tags must be text by name, and "number" is 4/,
    ],
    [
      'a check that throws',
      `${FITTING} checks: { sharp: ({ output }) => output.missing.length > 0 },`,
      /checks\.sharp failed for 40 of 40 executions, first for arrival 0: TypeError: .*\(\S*mine\.ts:6:\d+\)/,
    ],
    [
      'a check that gives a promise',
      `${FITTING} checks: { sharp: ({ index }) => index < 1 || Promise.reject(new Error('late')) },`,
      /checks\.sharp failed for 39 of 40 executions, first for arrival 1: checks\.sharp must return its result/,
    ],
  ])('%s: INVALID, with function, place and first example', async (_name, parts, words) => {
    const { verdict, generator } = await ran(parts)
    expect(verdict.outcome).toBe('invalid')
    const reason = verdict.reasons.find(({ code }) => code === 'scenario')
    expect(reason?.message).toMatch(words)
    expect(generator.checks.find(({ name }) => name === 'scenario')).toMatchObject({ ok: false })
  })

  test('a check that throws is never told as failed, on the terminal neither', async () => {
    const document = await ran(
      `${FITTING} checks: { sharp: ({ output }) => output.missing.length > 0 },
       thresholds: { 'checks.sharp': '>= 99%' },`,
    )
    expect(document.checks).toMatchObject([{ name: 'sharp', passed: 0, failed: 0, threw: 40 }])
    expect(document.metrics['checks.sharp']).toMatchObject({ value: null, n: 0 })
    const text = runTerminal(document, { color: false, width: 1_000, reportPath: null })
    expect(text).toContain('"sharp" threw for 40 of 40 executions')
    expect(text).not.toMatch(/"sharp" failed/)
    expect(text).toContain("the scenario's own code failed: checks.sharp failed for 40 of 40")
  })

  test('a scenario that does its work is trusted', async () => {
    const { generator, verdict } = await ran(
      `${FITTING} checks: { sharp: ({ output }) => output.length > 0 },`,
    )
    expect(verdict.reasons).toEqual([])
    expect(generator.checks.find(({ name }) => name === 'scenario')).toMatchObject({
      ok: true,
      measured: 0,
    })
  })
})

describe('before anything is sent', () => {
  test.each([
    [
      'inputs that throw',
      "inputs: () => { throw new Error('no key') },",
      /inputs: Error: no key \(\S*mine\.ts:6:25\)/,
    ],
    [
      'inputs that are a promise',
      "inputs: async () => ({ topic: 'bees' }),",
      /inputs: inputs must return its result, not a promise/,
    ],
    [
      'a BigInt in a list',
      "inputs: [{ topic: 'a', audience: 'b' }, { topic: 7n, audience: 'b' }],",
      /inputs: "topic" cannot be sent as JSON: TypeError: Do not know how to serialize a BigInt/,
    ],
    [
      'a promise among the inputs',
      "inputs: { topic: Promise.resolve('bees'), audience: 'b' },",
      /inputs: "topic" is a promise/,
    ],
    [
      'tags that throw',
      `${FITTING} tags: ({ inputs }) => ({ first: inputs.subject[0] }),`,
      /tags: TypeError: .*mine\.ts:6:/,
    ],
    [
      'a check with a name that is not defined',
      `${FITTING} checks: { sharp: ({ output }) => outptu.length > 0 },`,
      /checks\.sharp: ReferenceError: outptu is not defined \(\S*mine\.ts:6:\d+\)/,
    ],
    [
      'a check that is async',
      `${FITTING} checks: { sharp: async ({ output }) => output.length > 0 },`,
      /checks\.sharp: checks\.sharp must return its result, not a promise/,
    ],
  ])('%s: refused with function and place', async (_name, parts, words) => {
    expect(await refused(parts)).toMatch(words)
  })

  test('a check that throws for a made-up output is left to the run', async () => {
    const parts = `${FITTING} checks: { sharp: ({ output }) => JSON.parse(output).steps.length > 0 },`
    expect(await refused(parts)).toBe('not refused')
  })
})
