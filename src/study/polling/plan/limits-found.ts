/** The quota of polls that a study of limits has found: the safe rate of status in its document. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readDocument } from '../../../journal/file/document.ts'
import { UserError } from '../../../base/mistakes.ts'
import { LIMITER_KINDS } from '../../frame/limiter-kinds.ts'
import type { WishTold } from '../document.ts'
import { listed } from '../../../base/text.ts'

const FILE = 'limits.json'
const EXPECTED = `expected the folder of a study of limits, or its ${FILE}`

/** What is read of the document of that study. */
const found = z.object({
  schema: z.literal('crewload/limits/1'),
  target: z.string(),
  operations: z.object({
    status: z
      .object({
        kind: z.enum(LIMITER_KINDS),
        outcome: z.string(),
        safePerSecond: z.number().nullable(),
        scope: z.object({
          token: z.boolean().nullable(),
          path: z.boolean().nullable(),
          sharedWith: z.array(z.string()).nullable(),
        }),
      })
      .nullable(),
  }),
})

type Status = NonNullable<z.infer<typeof found>['operations']['status']>

export interface LimitsFound {
  /** As `--max-polls` is written. */
  maxPolls: string
  told: NonNullable<WishTold['limits']>
}

/** Throws UserError for what tells no safe rate of status. */
export async function limitsFound(path: string): Promise<LimitsFound> {
  const { target, operations } = await documentAt(path)
  const { status } = operations
  const pollsPerSecond = safeRateOf(path, status)
  const { scope } = status!
  return {
    maxPolls: writtenRate(pollsPerSecond),
    told: { source: path, target, pollsPerSecond, assumed: assumedOf(scope) },
  }
}

async function documentAt(path: string): Promise<z.infer<typeof found>> {
  try {
    const isFolder = (await stat(path)).isDirectory()
    const document = await readDocument(isFolder ? join(path, FILE) : path, found, {
      remedy: EXPECTED,
    })
    if (document !== null) return document
  } catch (error) {
    if (error instanceof UserError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw mistake(path, `cannot be read (${message}); ${EXPECTED}`)
  }
  throw mistake(path, await whyAbsent(path))
}

async function whyAbsent(path: string): Promise<string> {
  const isFolder = await readdir(path).then(
    () => true,
    () => false,
  )
  return isFolder ? `holds no ${FILE}; ${EXPECTED}` : `does not exist; ${EXPECTED}`
}

/** Polls a second, above 0. */
function safeRateOf(path: string, status: Status | null): number {
  if (status === null) {
    throw mistake(path, 'has not probed status, and polls are requests for it: probe it first')
  }
  const { kind, outcome, safePerSecond } = status
  if (outcome !== 'settled' || kind === 'unknown') {
    throw mistake(path, 'the limit of status is not settled there, so no rate is known to be safe')
  }
  if (safePerSecond !== null && safePerSecond > 0) return safePerSecond
  const why =
    kind === 'none'
      ? 'no limit of status was met there: leave the flag out, or state a quota with --max-polls'
      : `the limit of status there is one of ${kind}, which sets no rate: state one with --max-polls`
  throw mistake(path, why)
}

function mistake(path: string, problem: string): UserError {
  return new UserError({ source: '--limits', path: '', found: path, problem })
}

/** For whom the rate holds: whoever reads it must know what would make it too high. */
function assumedOf({ token, path, sharedWith }: Status['scope']): string {
  const others = sharedWith ?? []
  const sharing =
    others.length === 0 ? '' : `; ${listed(others)} take from it as well, and are not counted here`
  const tokens =
    token === null
      ? ''
      : token
        ? '; each further token has as much of its own'
        : '; further tokens take from the same'
  const executions = path === true ? '; each execution has as much of its own' : ''
  return `that all polls use one token, which nobody else uses${tokens}${executions}${sharing}`
}

const SECONDS: readonly (readonly [string, number])[] = [
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
]

/** `49.4/s`, `59.2/m`: three digits, rounded down, in the first unit of which there is one. */
function writtenRate(perSecond: number): string {
  const [unit, seconds] = SECONDS.find(([, each]) => perSecond * each >= 1) ?? SECONDS.at(-1)!
  const value = perSecond * seconds
  const step = 10 ** (Math.floor(Math.log10(value)) - 2)
  return `${Number((Math.floor(value / step + 1e-9) * step).toPrecision(3))}/${unit}`
}
