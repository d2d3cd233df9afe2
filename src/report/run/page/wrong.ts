/**
 * Section 4: what went wrong: outcomes, errors, the contract, checks and the ledger's
 * disagreements.
 */
import type { ResultDocument } from '../../../analysis/document.ts'
import { outcomeWord, unsentOf } from '../../../analysis/ending/endings.ts'
import type { Outcome } from '../../../execution/record/record.ts'
import { formatCount, formatMs, NOTHING, plainText, plural } from '../../frame/format.ts'
import { exampleName, outcomeShares, shortId } from '../summary.ts'
import type { OutcomeShare } from '../summary.ts'
import { figure } from '../../charts/figure.ts'
import type { Picture } from '../../charts/figure.ts'
import { flowKey } from '../../charts/key.ts'
import { html } from '../../frame/markup.ts'
import type { Content, Markup } from '../../frame/markup.ts'
import type { Color } from '../../charts/palette.ts'
import { renderPushback } from './pushback.ts'
import { bar } from '../../charts/plot.ts'
import { table } from '../../frame/table.ts'

export function renderWrong(document: ResultDocument): Markup {
  const shares = outcomeShares(document)
  const pushback = renderPushback(document)
  return html`${figure({
    id: 'outcomes',
    heading: finding(document),
    caption: 'Every arrival of the measured window ends in exactly one outcome.',
    alternative: shares.map(({ outcome, count }) => `${outcomeWord(outcome)} ${count}`).join(', '),
    draw: (width) => drawOutcomes(shares, width),
    table: outcomeTable(document, shares),
  })}
  ${section('Errors by operation', errorTable(document))}
  ${pushback === null ? null : section('Limits and retries', pushback)}
  ${section('The interface contract', contractTable(document))}
  ${document.checks.length === 0 ? null : section('Checks of the scenario', checkTable(document))}
  ${document.ledger === null ? null : section('The fake crew’s ledger against the client’s records', ledgerTable(document.ledger, document.warmUpArrivals))}`
}

function section(title: string, content: Content): Markup {
  return html`<h4>${title}</h4>
    ${content}`
}

function finding(document: ResultDocument): string {
  const { arrivals, outcomes } = document
  if (arrivals === 0) {
    return document.run.stopped === 'crashed'
      ? 'No outcome is known: the run was cut'
      : 'Nothing arrived in the measured window'
  }
  const noun = unsentOf(outcomes) + outcomes.rejected > 0 ? 'arrival' : 'execution'
  const completed = `${formatCount(outcomes.completed)} of ${plural(arrivals, noun)} completed`
  const worst = outcomeShares(document)
    .filter(({ outcome, count }) => outcome !== 'completed' && count > 0)
    .sort((a, b) => b.count - a.count)
  if (worst.length === 0)
    return arrivals === 1
      ? 'The one execution completed'
      : `All ${formatCount(arrivals)} executions completed`
  return `${completed}; ${worst.map(({ outcome, count }) => `${formatCount(count)} ${outcomeWord(outcome)}`).join(', ')}`
}

const OUTCOME_COLORS: Record<Outcome, Color> = {
  completed: 'service',
  failed: 'error',
  rejected: 'response',
  unknown: 'extra',
  lost: 'endToEnd',
  stuck: 'sky',
  unreadable: 'ink',
  dropped: 'grey',
  notReached: 'muted',
  aborted: 'hair',
}

const BAR = { top: 4, bottom: 32 }
const LEAST_PX = 3

/**
 * One bar; what is rare still gets three pixels. Below it a key of those that occurred, in rows.
 */
function drawOutcomes(shares: readonly OutcomeShare[], width: number): Picture {
  const seen = shares.filter(({ count }) => count > 0)
  if (seen.length === 0)
    return {
      height: 32,
      body: html`<path class="base" d="M0 20H${width}" stroke-dasharray="4 4" />`,
    }
  const room = width - seen.length * LEAST_PX
  let from = 0
  const parts = seen.map(({ outcome, share, text }) => {
    const left = from
    from += LEAST_PX + share * room
    const rect = { left, right: from - (seen.length > 1 ? 1 : 0), ...BAR }
    return bar(rect, OUTCOME_COLORS[outcome], { tip: `${outcomeWord(outcome)} ${text}` })
  })
  const entries = seen.map(({ outcome, text }) => {
    return { color: OUTCOME_COLORS[outcome], opacity: 1, label: `${outcomeWord(outcome)} ${text}` }
  })
  const key = flowKey(entries, { left: 0, top: BAR.bottom + 15, right: width })
  return { height: key.bottom, body: [parts, key.body] }
}

function outcomeTable(document: ResultDocument, shares: readonly OutcomeShare[]): Markup {
  return table(
    [
      { title: 'outcome' },
      { title: 'arrivals', kind: 'number' },
      { title: 'share', kind: 'number' },
      { title: 'why' },
    ],
    shares.map(({ outcome, count, percent }) => [
      outcomeWord(outcome),
      formatCount(count),
      percent ?? NOTHING,
      (document.reasons[outcome] ?? [])
        .map(({ reason, count: times }) => `${plainText(reason)} (${times})`)
        .join('; '),
    ]),
  )
}

function errorTable({ errors }: ResultDocument): Markup {
  return table(
    [
      { title: 'operation' },
      { title: 'class' },
      { title: 'count', kind: 'number' },
      { title: 'first at', kind: 'number' },
    ],
    errors.map(({ operation, class: name, count, firstMs }) => [
      operation,
      plainText(name),
      formatCount(count),
      formatMs(firstMs),
    ]),
    'No request failed.',
  )
}

function contractTable({ contract }: ResultDocument): Markup {
  const { violations, answersChecked, rules } = contract
  if (violations === 0) {
    return html`<p>
      ${answersChecked === 0 ? 'No answers to check' : `No violation in ${plural(answersChecked, 'answer')}`}.
    </p>`
  }
  return table(
    [
      { title: 'rule' },
      { title: 'count', kind: 'number' },
      { title: 'basis' },
      { title: 'first seen in' },
      { title: 'what was seen', kind: 'code' },
    ],
    rules.map(({ rule, basis, source, count, example }) => [
      plainText(rule),
      formatCount(count),
      `${basis}: ${plainText(source)}`,
      exampleName(example),
      plainText(example.seen),
    ]),
  )
}

function checkTable({ checks }: ResultDocument): Markup {
  const examples = checks.some(({ example }) => example !== null)
  return table(
    [
      { title: 'check' },
      { title: 'passed', kind: 'number' },
      { title: 'failed', kind: 'number' },
      { title: 'threw', kind: 'number' },
      ...(examples ? [{ title: 'example', kind: 'code' as const }] : []),
    ],
    checks.map(({ name, passed, failed, threw, example }) => [
      plainText(name),
      formatCount(passed),
      formatCount(failed),
      formatCount(threw),
      ...(examples ? [example === null ? '' : plainText(example)] : []),
    ]),
  )
}

function ledgerTable(
  ledger: NonNullable<ResultDocument['ledger']>,
  warmUpArrivals: number,
): Markup {
  const { agreed, rows, clockErrorMs, endIntervals, disagreements } = ledger
  const warmUp = warmUpArrivals > 0 ? ', the warm-up’s among them' : ''
  const summary = `Client and ledger agree on ${formatCount(agreed)} of ${plural(rows, 'ledger row')}${warmUp}; ${formatCount(
    endIntervals.contained,
  )} of ${formatCount(endIntervals.checked)} true ends lie in the interval that the polls left, widened by the clocks’ ${formatMs(clockErrorMs)}.`
  if (disagreements.length === 0) return html`<p>${summary}</p>`
  const list = table(
    [{ title: 'kind' }, { title: 'count', kind: 'number' }, { title: 'examples', kind: 'code' }],
    disagreements.map(({ kind, count, examples }) => [
      kind,
      formatCount(count),
      examples.map(
        ({ kickoffId, detail }) => html`${shortId(kickoffId)} ${plainText(detail)}<br />`,
      ),
    ]),
  )
  return html`<p>${summary}</p>
    ${list}`
}
