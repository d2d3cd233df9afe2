/** Part of section 4: what the target refused for now, and what asking again cost. */
import type { ResultDocument } from '../../../analysis/document.ts'
import { formatCount, formatMs, formatValue, plainText } from '../../frame/format.ts'
import { limitsSentence, retriesArithmetic, retriesSentence } from '../disturbances.ts'
import { html, tied } from '../../frame/markup.ts'
import type { Markup } from '../../frame/markup.ts'
import { table } from '../../frame/table.ts'

/** Null where nothing was refused and nothing asked again. */
export function renderPushback(document: ResultDocument): Markup | null {
  const limits = limitsSentence(document)
  const retries = retriesSentence(document)
  if (limits === null && retries === null) return null
  return html`${limits === null ? null : html`<p>${tied(`Limits: ${limits}.`)}</p>`}
  ${limitTable(document)}
  ${retries === null ? null : html`<p>${tied(`Retries: ${retries}. Retries over first attempts: ${retriesArithmetic(document)}.`)}</p>`}
  ${retryTable(document)}`
}

function limitTable({ pushback }: ResultDocument): Markup | null {
  if (pushback.limits.length === 0) return null
  return table(
    [
      { title: 'operation' },
      { title: 'code', kind: 'number' },
      { title: 'count', kind: 'number' },
      { title: 'share', kind: 'number' },
      { title: 'refused, most in a minute', kind: 'number' },
      { title: 'let through, most in a minute', kind: 'number' },
      { title: 'first at', kind: 'number' },
      { title: 'last at', kind: 'number' },
    ],
    pushback.limits.map((limit) => [
      limit.operation,
      String(limit.code),
      formatCount(limit.count),
      formatValue(limit.count / limit.requests, 'share'),
      formatCount(limit.perMinute),
      formatCount(limit.admittedPerMinute),
      formatMs(limit.firstMs),
      formatMs(limit.lastMs),
    ]),
  )
}

function retryTable({ pushback }: ResultDocument): Markup | null {
  const rows = pushback.retries.operations.flatMap(({ operation, causes }) =>
    causes.map(({ class: name, count }) => [operation, plainText(name), formatCount(count)]),
  )
  if (rows.length === 0) return null
  return table(
    [{ title: 'asked again' }, { title: 'after' }, { title: 'times', kind: 'number' }],
    rows,
  )
}
