/** `report.html`: what one run found, the verdict first. */
import type { ResultDocument } from '../../../analysis/document.ts'
import { onCrewClock } from '../../../analysis/crew-clock.ts'
import { renderBreakdown } from './breakdown.ts'
import { pageTitle, renderHead } from './head.ts'
import { html } from '../../frame/markup.ts'
import { renderNumbers } from './numbers.ts'
import { renderOverTime } from './over-time.ts'
import { page, section } from '../../frame/page.ts'
import { renderPolling } from './polling.ts'
import { renderRecoveries } from './recovery.ts'
import { renderStrips } from './strips/strips.ts'
import { renderTrust } from './trust.ts'
import { renderWaits } from './waits.ts'
import { renderWrong } from './wrong.ts'

/** Every foreign text is escaped. */
export function renderHtml(result: ResultDocument): string {
  const document = onCrewClock(result)
  return page({
    title: pageTitle(document),
    description: document.verdict.sentence,
    head: renderHead(document),
    sections: [
      section('How long people wait', [renderWaits(document), renderBreakdown(document)]),
      section('Over time', [renderOverTime(document), renderRecoveries(document)]),
      section('What went wrong', renderWrong(document)),
      section('What polling cost', renderPolling(document)),
      section('A few executions', renderStrips(document)),
      section('Can we trust this', renderTrust(document)),
      section('All numbers', renderNumbers(document)),
    ],
    footer: html`crewload ${document.crewload}, run ${document.run.id}, plan
    ${document.run.planHash}`,
  })
}
