/** Studies an ordinary limiter by `crewload limits` in virtual time, and judges what it says. */
import { allText } from '../../../src/report/frame/report.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { conducting } from '../../../src/study/limits/conduct/conduct.ts'
import type { OperationLimit } from '../../../src/study/limits/document.ts'
import type { Ordinary } from './ordinary.ts'
import { conductStudy } from '../../../src/study/frame/conduct/conduct.ts'

export interface OrdinaryTrial {
  limiter: Ordinary
  status: OperationLimit
  sentence: string
  isAnswered: boolean
  /** Whether kind, limit, window and scope are right. */
  isRight: boolean
  cpuMs: number
}

/** A window may be off by this share. */
const CLOSE = 0.05

/** `folder`: for the profile of the fake crew that plays it. */
export async function ordinaryTrial(
  limiter: Ordinary,
  folder: string,
  seed: number,
): Promise<OrdinaryTrial> {
  const profile = join(folder, 'ordinary.yaml')
  await writeFile(profile, profileOf(limiter))
  const begun = process.cpuUsage()
  const { document } = await conductStudy(conducting, {
    operations: ['status'],
    out: false,
    seed,
    run: { profile },
  })
  const { user, system } = process.cpuUsage(begun)
  const status = document.operations.status!
  const isAnswered = document.verdict.outcome === 'answered'
  return {
    limiter,
    status,
    sentence: allText(document.verdict),
    isAnswered,
    isRight: isAnswered && isLimitRight(limiter, status) && isScopeRight(limiter, status),
    cpuMs: (user + system) / 1_000,
  }
}

function profileOf({ limits, latency }: Ordinary): string {
  const http = latency === undefined ? '' : `http: { latency: { status: ${latency} } }\n`
  return `tasks: [{ id: work, agent: Worker, duration: 5m, output: 100B }]\n${http}limits: ${limits}\n`
}

function isLimitRight({ kinds, limit, windowMs }: Ordinary, status: OperationLimit): boolean {
  const isKind = kinds.some((kind) => kind === status.kind || status.sameAs.includes(kind))
  const found = status.limit ?? status.capacity ?? status.concurrency
  return isKind && (found?.value ?? null) === limit && isClose(timeOf(status), windowMs)
}

/** The window; for a bucket, the time in which one token comes. */
function timeOf({ windowMs, ratePerSecond }: OperationLimit): number | null {
  return windowMs?.value ?? (ratePerSecond === null ? null : 1_000 / ratePerSecond.value)
}

function isClose(found: number | null, truth: number | null): boolean {
  if (truth === null || found === null) return truth === found
  return Math.abs(found / truth - 1) <= CLOSE
}

/** Who shares a limit of requests in flight is not tried. */
function isScopeRight({ token, path, windowMs }: Ordinary, { scope }: OperationLimit): boolean {
  if (windowMs === null) return scope.token === null && scope.path === null
  return scope.token === token && scope.path === path
}
