/**
 * Shows what a run or a study found beyond its numbers, each finding in a box: red for a problem,
 * amber for a warning, blue for a note.
 */
import type { Finding } from '../../result/document.ts'
import { html, tied } from './markup.ts'
import type { Markup } from './markup.ts'

/** A word and a sign precede each finding, because colour alone is never enough. */
const SEVERITIES = {
  info: { word: 'Note', tone: 'note' },
  warning: { word: '! Warning', tone: 'doubt' },
  problem: { word: '✗ Problem', tone: 'bad' },
} as const

export function findingBox({ severity, message }: Finding): Markup {
  const { word, tone } = SEVERITIES[severity]
  return html`<p class="advice ${severity}">
    <strong class="${tone}">${word}:</strong> ${tied(message)}
  </p>`
}
