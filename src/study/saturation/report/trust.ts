/** Can we trust this: each rung's cross-check by Little's law, the generator's own use, and what is doubtful. */
import type { SaturationDocument, SaturationRung } from '../document.ts'
import { isGeneratorBound, isTrusted, LITTLE_BOUND, UTILISATION_BOUND } from '../analyse/rung.ts'
import {
  formatCount,
  formatMs,
  formatValue,
  NOTHING,
  plainText,
  plural,
} from '../../../report/frame/format.ts'
import { html, tied } from '../../../report/frame/markup.ts'
import type { Markup } from '../../../report/frame/markup.ts'
import { table } from '../../../report/frame/table.ts'

export function renderSaturationTrust(document: SaturationDocument): Markup {
  const { rungs } = document
  return html`<h3>${tied(finding(document))}</h3>
    <p class="caption">
      By Little’s law the time that requests took, divided by the window, must account for the
      connections that there were: what is missing went into connecting, or into requests that were
      lost. A rung counts when it is off by at most ${formatValue(LITTLE_BOUND, 'share')}. Where
      this process is busy for over ${formatValue(UTILISATION_BOUND, 'share')} of the time, the rung
      is a lower bound.
    </p>
    ${table(
      [
        { title: '' },
        { title: 'connections', kind: 'number' },
        { title: 'accounted for', kind: 'number' },
        { title: 'off by', kind: 'number' },
        { title: 'process busy', kind: 'number' },
        { title: 'window', kind: 'number' },
        { title: 'requests', kind: 'number' },
        { title: 'opened anew', kind: 'number' },
      ],
      rungs.map(rungCells),
      'No rung came to its end.',
    )}
    ${doubtList(rungs)}`
}

/** What makes the ceiling itself doubtful although its rungs count. */
const ROUGH: ReadonlySet<string> = new Set(['precision', 'unclear', 'mixed'])

function finding({ rungs, verdict }: SaturationDocument): string {
  const trusted = rungs.filter(isTrusted)
  if (rungs.length === 0) return 'No: no rung came to its end'
  if (trusted.length === 0) return 'No: no rung can be trusted'
  const rough = verdict.reasons.find(({ code }) => ROUGH.has(code))
  if (rough !== undefined) return `Not quite: ${rough.message}`
  const bounds = rungs.filter(isGeneratorBound).length
  const least = bounds === 0 ? '' : `, ${formatCount(bounds)} of them as a lower bound`
  return trusted.length === rungs.length
    ? `Yes: all ${plural(rungs.length, 'rung')} count${least}`
    : `${formatCount(trusted.length)} of ${plural(rungs.length, 'rung')} count; the others are shown hollow`
}

function rungCells(rung: SaturationRung): (Markup | string)[] {
  return [
    sign(rung),
    formatCount(rung.connections),
    formatCount(Number(rung.little.connections.toPrecision(3))),
    formatValue(rung.little.residual, 'share'),
    rung.utilisation === null ? NOTHING : formatValue(rung.utilisation, 'share'),
    formatMs(rung.windowMs),
    formatCount(rung.requests),
    formatCount(rung.reconnects),
  ]
}

function doubtList(rungs: readonly SaturationRung[]): Markup | null {
  const doubts = rungs.flatMap(({ connections, doubts: own }) =>
    own.map(({ message }) => `${plural(connections, 'connection')}: ${plainText(message, 300)}`),
  )
  if (doubts.length === 0) return null
  return html`<ul class="reasons">
    ${doubts.map((doubt) => html`<li>${tied(doubt)}</li>`)}
  </ul>`
}

function sign(rung: SaturationRung): Markup {
  if (rung.doubts.length === 0) return html`<span class="good whole">✓ ok</span>`
  return isTrusted(rung)
    ? html`<span class="doubt whole">? at least</span>`
    : html`<span class="bad whole">✗ does not count</span>`
}
