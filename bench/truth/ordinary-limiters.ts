/**
 * What `crewload limits` finds of twenty limiters of public libraries and products, played by the
 * fake crew in virtual time; prints the table of `bench/results/ordinary-limiters.md`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ORDINARY } from './limits/ordinary.ts'
import type { OrdinaryTrial } from './limits/ordinary-trial.ts'
import { ordinaryTrial } from './limits/ordinary-trial.ts'

const seed = Number(process.argv[2] ?? 1)
const folder = await mkdtemp(join(tmpdir(), 'ordinary-'))
const trials: OrdinaryTrial[] = []
try {
  for (const limiter of ORDINARY) trials.push(await ordinaryTrial(limiter, folder, seed))
} finally {
  await rm(folder, { recursive: true })
}
console.log('| limiter | how it counts | found | scope | requests | right |')
console.log('| --- | --- | --- | --- | ---: | --- |')
for (const trial of trials) console.log(rowOf(trial))
const right = trials.filter(({ isRight }) => isRight).length
console.log(`\n${right} of ${trials.length} are right.`)
if (right < trials.length - 1) process.exitCode = 1

function rowOf({ limiter, status, sentence, isAnswered, isRight }: OrdinaryTrial): string {
  const [, found = ''] = sentence.split('status: ')
  const cells = [
    limiter.name,
    limiter.semantics,
    `${isAnswered ? '' : 'CANNOT TELL: '}${found.replace(/\.$/, '')}`,
    scopeWords(status.scope),
    String(status.requests),
    isRight ? 'yes' : 'no',
  ]
  return `| ${cells.join(' | ')} |`
}

function scopeWords({ token, path }: OrdinaryTrial['status']['scope']): string {
  if (token === null && path === null) return 'not tried'
  if (path === true) return 'each execution'
  return token === true ? 'each token' : 'all'
}
