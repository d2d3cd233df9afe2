/**
 * `crewload report merge --logs`: what the pods of a run printed becomes one result, and what one
 * of them left out is named.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from 'crewload/run'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import type { RunOptions } from '../../result/lines.ts'
import { instanceLines } from '../../result/lines.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'

const RUN: RunOptions = {
  executions: 400,
  instances: 4,
  plan: {
    thresholds: [
      {
        metric: 'kickoff.response.p95',
        operator: '<',
        bound: 500_000,
        text: '< 500ms',
        abortEarly: false,
        judge: 'interval',
        source: 'scenario',
      },
    ],
  },
}

/** A pod's log as it lies on its node, a banner first. */
async function writeLog(
  folder: string,
  pod: number,
  lines: readonly JournalLine[],
): Promise<string> {
  const path = join(folder, `pod-${pod}.log`)
  const texts = ['     execution: local', ...lines.map((line) => JSON.stringify(line))]
  const time = '2026-11-21T12:00:00.123456789Z'
  await writeFile(path, texts.map((text) => `${time} stdout F ${text}\n`).join(''))
  return path
}

describe('crewload report merge --logs', () => {
  test('judges the thresholds over all pods, and leaves a run folder to render again', async () => {
    await using folder = await temporaryFolder()
    const logs = await Promise.all(
      [0, 1, 2, 3].map(async (pod) => writeLog(folder.path, pod, instanceLines(pod, RUN))),
    )
    const out = join(folder.path, 'out')
    const merged = await cli(['report', 'merge', '--logs', ...logs, '--out', out])
    expect(merged.code).toBe(0)
    expect(merged.stdout).toMatch(
      /^PASSED {3}.*1 of 1 threshold met .*4 instances, .*400 executions/s,
    )

    const path = / report {2}(.*)\/report\.html/.exec(merged.stdout)![1]!
    const again = await cli(['report', path])
    expect(again.stdout).toBe(merged.stdout)
  })

  test('names the pod that was killed, and the one that is missing', async () => {
    await using folder = await temporaryFolder()
    const killed = instanceLines(3, RUN).slice(0, -1)
    const cut = `${JSON.stringify(killed.at(-1)).slice(0, 60)}\n`
    const logs = await Promise.all([
      writeLog(folder.path, 0, instanceLines(0, RUN)),
      writeLog(folder.path, 1, instanceLines(1, RUN)),
      writeLog(folder.path, 3, killed.slice(0, -1)),
    ])
    await writeFile(logs[2], `2026-11-21T12:00:01Z stdout P ${cut}`, { flag: 'a' })
    const out = join(folder.path, 'out')
    const { code, stdout, stderr } = await cli([
      'report',
      'merge',
      ...logs,
      '--logs',
      '--out',
      out,
      '--json',
    ])
    expect(code).toBe(3)
    expect(stderr).toBe(
      `note: ${logs[2]} ends too early: instance 3 of 4 (the Job whose name ends in -4)\n` +
        'note: no file holds instance 2 of 4 (the Job whose name ends in -3)\n',
    )
    const { verdict } = JSON.parse(stdout) as ResultDocument
    expect(verdict.reasons.map(({ message }) => message)).toEqual([
      'no journal of instance 2 of 4; instance 3 of 4 did not finish: 1 execution ' +
        'without an end',
      'the journal is incomplete: 1 line could not be read',
      'instance 3 of 4 was cut after 42.1 s with 1 execution in flight',
    ])
  })
})
