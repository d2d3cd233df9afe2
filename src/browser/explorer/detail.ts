/** One execution: its strip, what client and ledger say, and each of its requests. */
import { formatMs, formatOptionalMs, NOTHING } from '../../base/numbers.ts'
import { correlationId, ID_PLACE } from '../../crew/crew-request.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import type { Request } from '../../execution/record/request.ts'
import { requestsIn } from '../../execution/record/request.ts'
import { drawMarks } from '../../report/run/sections/strips/marks.ts'
import { readStrip } from '../../report/run/sections/strips/model.ts'
import type { SampleExecution } from '../../result/document.ts'
import type { ExecutionRow } from '../../result/execution-row.ts'
import { command, el } from './dom.ts'

export interface DetailFacts {
  runId: string
  /** Of a status answer, with `{id}` in it; null if nobody can ask for one. */
  statusUrl: string | null
}

export function detailOf(
  row: ExecutionRow,
  sample: SampleExecution | null,
  facts: DetailFacts,
): HTMLElement {
  const reason = row.reason === null ? '' : `: ${row.reason}`
  return el(
    'div',
    { className: 'execution' },
    el('h4', {}, `Execution ${row.index}: ${row.outcome} after ${formatMs(row.totalMs)}${reason}`),
    sample === null ? null : stripOf(sample),
    factsOf(row, facts),
    sample === null
      ? journalHint(row.index, 'This page does not hold its requests.')
      : requestsOf(sample.record),
    curlOf(row, facts),
  )
}

const STRIP_PX = { left: 10, right: 22, top: 6, height: 56 }

/** The strip of the report, drawn by its own module. */
function stripOf(sample: SampleExecution): HTMLElement {
  const width = 1_000
  const strip = readStrip(sample)
  const right = width - STRIP_PX.right
  const longest = Math.max(strip.totalMs, 0.001)
  const x = (ms: number): number => STRIP_PX.left + (ms / longest) * (right - STRIP_PX.left)
  const box = el('div', { className: 'strip' })
  // Markup that the report's own templates made: they escape every text.
  box.innerHTML =
    `<svg viewBox="0 0 ${width} ${STRIP_PX.height}" role="img" aria-label="strip of the ` +
    `execution">${drawMarks(strip, x, STRIP_PX.top).text}</svg>`
  return box
}

function factsOf(row: ExecutionRow, { runId }: DetailFacts): HTMLElement {
  const { ledger } = row
  const pairs: [name: string, value: string][] = [
    ['intended at', formatMs(row.intendedMs)],
    ['accepted after', both(row.acceptedMs, ledger?.acceptedMs)],
    ['started after', ledger === null ? 'not known without a ledger' : spoken(ledger.startedMs)],
    ['true end after', ledger === null ? 'not known without a ledger' : spoken(ledger.endedMs)],
    ['known after', formatMs(row.totalMs)],
    ['polls', String(row.polls)],
    ['retries', String(row.retries)],
    ['correlation id', correlationId(runId, row.index)],
    ['kickoff id', row.kickoffId ?? NOTHING],
    ...(row.failedIn === null ? [] : [['last seen in task', row.failedIn] as [string, string]]),
    ...(row.tags.length === 0 ? [] : [['tags', row.tags.join(', ')] as [string, string]]),
    ...(row.warmUp ? [['warm-up', 'not counted in metrics'] as [string, string]] : []),
  ]
  const list = el('dl', { className: 'facts' })
  for (const [name, value] of pairs) {
    list.append(el('div', {}, el('dt', {}, name), el('dd', {}, value)))
  }
  return list
}

/** What the client saw, and what the ledger says. */
function both(client: number | null, ledger: number | undefined): string {
  const seen = formatOptionalMs(client)
  return ledger === undefined ? seen : `${seen} (ledger: ${formatMs(ledger)})`
}

function spoken(ms: number | null): string {
  return ms === null ? 'never' : formatMs(ms)
}

function requestsOf(record: ExecutionRecord): HTMLElement {
  const news = new Map(record.changes.map((change) => [change.atMicros, change]))
  const changeOf = ({ doneMicros }: Request): string => {
    const change = news.get(doneMicros)
    if (doneMicros === record.firstDoneReceivedMicros) return 'the end'
    if (change === undefined) return ''
    const { task, completed, total } = change
    const count = completed === null || total === null ? '' : ` (${completed} of ${total} done)`
    return `${task ?? 'progress'}${count}`
  }
  const line = (operation: string, request: Request): HTMLElement => {
    const sinceMs = (request.sentMicros - record.intendedMicros) / 1_000
    const tookMs = request.serviceMicros < 0 ? null : request.serviceMicros / 1_000
    const answer = request.retry === 1 ? `${request.answer}, a retry` : String(request.answer)
    const cells = [formatMs(sinceMs), operation, answer, formatOptionalMs(tookMs)]
    const row = el('tr', { className: request.isError ? 'bad' : '' })
    row.append(...[...cells, changeOf(request)].map((text) => el('td', {}, text)))
    return row
  }
  const { kickoff, polls, resumes, intendedMicros } = record
  const rows = [
    ...requestsIn(kickoff, intendedMicros).map((each) => line('kickoff', each)),
    ...requestsIn(polls, intendedMicros).map((each) => line('status', each)),
    ...(resumes === undefined ? [] : requestsIn(resumes, intendedMicros)).map((each) =>
      line('resume', each),
    ),
  ]
  const heads = ['sent after', 'request', 'answer', 'answered in', 'change']
  const head = el('tr', {}, ...heads.map((text) => el('th', { scope: 'col' }, text)))
  const table = el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows))
  const scroll = el('div', { className: 'scroll requests', tabIndex: 0 }, table)
  scroll.setAttribute('role', 'group')
  scroll.setAttribute('aria-label', 'requests of the execution')
  return scroll
}

/** A page has no room for every execution, and less for the requests of each. */
export function journalHint(index: number, why: string): HTMLElement {
  return el(
    'div',
    {},
    el('p', {}, `${why} The journal has them; beside this file, run:`),
    command(`grep '"index":${index},' executions.ndjson`),
  )
}

function curlOf({ kickoffId }: ExecutionRow, { statusUrl }: DetailFacts): HTMLElement | null {
  if (statusUrl === null || kickoffId === null) return null
  const url = statusUrl.replace(ID_PLACE, () => encodeURIComponent(kickoffId))
  return el(
    'div',
    {},
    el('p', {}, 'Ask for its status again; the token is not part of the page:'),
    command(`curl -H "authorization: Bearer $CREWLOAD_TOKEN" ${quoted(url)}`),
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
