/** `agreement.html`: whether the engines tell the same story, and where not. */
import type { AgreementDocument, AgreementRun, AspectStatus } from '../document.ts'
import {
  formatCount,
  formatInstant,
  formatMs,
  formatValue,
  plural,
} from '../../../report/frame/format.ts'
import { html, tied } from '../../../report/frame/markup.ts'
import type { Content, Markup } from '../../../report/frame/markup.ts'
import { commandLine, factList, page, section } from '../../../report/frame/page.ts'
import { table } from '../../../report/frame/table.ts'
import { VERDICTS } from '../../../report/run/summary.ts'
import { renderCurves } from './curves.ts'
import type { AgreementCell, AgreementRow } from './rows.ts'
import { AGREEMENTS, agreementRows } from './rows.ts'

/** The reports of the runs are named by their places beside it. */
export function renderAgreementHtml(document: AgreementDocument): string {
  const { word, sign } = AGREEMENTS[document.verdict.outcome]
  const figures = (['execution', 'detectionDelay'] as const).flatMap(
    (time) => renderCurves(document, time) ?? [],
  )
  return page({
    title: `${sign} ${word} ${document.scenario}, ${plural(document.runs.length, 'run')}`,
    description: document.verdict.sentence,
    head: head(document),
    sections: [
      section('Aspect by aspect', aspects(document)),
      ...(figures.length === 0 ? [] : [section('The same times?', figures)]),
      section('The runs', runTable(document.runs)),
      section('How this is judged', judged(document)),
    ],
    footer: html`crewload ${document.crewload}, ${formatInstant(document.startedAt)}`,
  })
}

function head(document: AgreementDocument): Markup {
  const { verdict, scenario, profile, seed, speed, startedAt, command } = document
  const { sign, tone } = AGREEMENTS[verdict.outcome]
  const [, word = '', rest = ''] = /^(\w+\.?)(.*)$/s.exec(verdict.sentence) ?? []
  const [, ...more] = verdict.reasons
  return html`<header>
    <h1><span class="${tone}">${sign} ${word}</span>${tied(rest)}</h1>
    ${
      more.length === 0
        ? null
        : html`<ul class="reasons">
            ${verdict.reasons.map((reason) => html`<li>${tied(reason)}</li>`)}
          </ul>`
    }
    ${factList([
      ['Scenario', scenario],
      ['Against', `${profile}, a fresh one each`],
      ['Seed', String(seed)],
      ['Time-lapse', speed === 1 ? 'none' : `a second stands for ${formatCount(speed)}`],
      ['Started', formatInstant(startedAt)],
      ['Reference', document.runs[0]?.name ?? ''],
    ])}
    ${command === null ? null : commandLine(command)}
  </header> `
}

const STATUSES: Record<AspectStatus, Markup> = {
  same: html`<span class="good">✓ ok</span>`,
  differs: html`<span class="bad">✗ differs</span>`,
  'too-few': html`<span class="doubt">? too few</span>`,
  'not-known': html`<span class="muted">– not known</span>`,
}

function aspects(document: AgreementDocument): Markup {
  return table(
    [
      { title: '' },
      { title: 'aspect' },
      ...document.runs.map(({ name }) => ({ title: name, kind: 'number' as const })),
      { title: 'bound', kind: 'number' },
    ],
    agreementRows(document).map(rowMarkup),
  )
}

function rowMarkup({ label, status, bound, cells }: AgreementRow): Content[] {
  return [status === null ? null : STATUSES[status], label, ...cells.map(cellMarkup), bound]
}

function cellMarkup({ text, difference, status }: AgreementCell): Markup {
  const apart =
    difference === ''
      ? null
      : html`<span class="origin ${status === 'differs' ? 'bad' : null}">${difference}</span>`
  return html`${status === 'differs' ? html`<strong class="bad">${text}</strong>` : text}${apart}`
}

function runTable(runs: readonly AgreementRun[]): Markup {
  return table(
    [
      { title: 'run' },
      { title: 'verdict of its own' },
      { title: 'instances', kind: 'number' },
      { title: 'took', kind: 'number' },
      { title: 'what it says' },
    ],
    runs.map(({ name, folder, verdict, instances, durationMs }) => [
      html`<a href="${folder}/report.html">${name}</a>`,
      `${VERDICTS[verdict.outcome].sign} ${VERDICTS[verdict.outcome].word}`,
      formatCount(instances),
      formatMs(durationMs),
      verdict.sentence,
    ]),
    undefined,
    'stack',
  )
}

function judged({ bounds, runs }: AgreementDocument): Markup {
  const reference = runs[0]?.name ?? ''
  return html`<p>
      Each run had a fresh fake crew of the same profile and seed, which draws by the order of
      acceptance: the set of executions is the same whoever starts them. So arrivals and outcomes
      must be equal in number, and arrival times to ${plural(bounds.arrivalMicros, 'microsecond')}.
    </p>
    <p>
      Times must be alike: polls meet the end of an execution in another phase, and close kickoffs
      may overtake each other. A quantile may lie ${formatValue(bounds.quantileShare, 'share')} from
      that of ${reference}, a detection delay by the errors of both clocks more. The two-sample test
      of Kolmogorov and Smirnov must find p over ${bounds.leastP}; where it tells the distributions
      apart, what lies further apart than those bounds must pass it (“within”): polls bundle times,
      so that it sees a single millisecond.
    </p>
    <p>“Same draws” pairs executions by their kickoff id. It decides nothing.</p>`
}
