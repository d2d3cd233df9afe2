/** `report.html` of a recovery test: verdict, the course of a trial, the tipping point, every trial. */
import type { RecoveryDocument } from '../document.ts'
import { formatInstant, formatMs, plainText } from '../../../report/frame/format.ts'
import type { Markup } from '../../../report/frame/markup.ts'
import { findingBox } from '../../../report/frame/findings.ts'
import { html, tied } from '../../../report/frame/markup.ts'
import type { Section } from '../../../report/frame/page.ts'
import { commandLine, factList, filesBeside, page, section } from '../../../report/frame/page.ts'
import { table } from '../../../report/frame/table.ts'
import { reasonText } from '../../../report/frame/report.ts'
import { renderCourse } from './course.ts'
import {
  countWords,
  courseWords,
  measureRows,
  RECOVERY_VERDICTS,
  seedWords,
  targetWords,
  trialRow,
  unclearWords,
} from './summary.ts'
import { renderTipping } from './tipping.ts'

/** A whole HTML document: no address outside itself, every foreign text escaped, the same bytes for the same document. */
export function renderRecoveryHtml(document: RecoveryDocument): string {
  const { verdict, run, tipping } = document
  const { word, sign } = RECOVERY_VERDICTS[verdict.outcome]
  const course = renderCourse(document)
  const sections: Section[] = [
    ...(course === null ? [] : [section('Over time', course)]),
    ...(tipping === null ? [] : [section('How much it takes', renderTipping(tipping))]),
    section('Every trial', trials(document)),
    section('How it was measured', method(document)),
  ]
  return page({
    title: `${sign} ${word} ${plainText(run.scenario)}`,
    description: verdict.sentence,
    head: head(document),
    sections,
    footer: `crewload ${document.crewload}, run ${run.id}`,
  })
}

const TONES = {
  recovers: 'good',
  'recovers-slowly': 'doubt',
  'does-not-recover': 'bad',
  inconclusive: 'doubt',
  invalid: 'bad',
} as const

function head(document: RecoveryDocument): Markup {
  const { verdict, run } = document
  const { word, sign } = RECOVERY_VERDICTS[verdict.outcome]
  const spoken = word.charAt(0) + word.slice(1).toLowerCase()
  const { reasons } = verdict
  return html`<header>
    <h1>
      <span class="${TONES[verdict.outcome]}">${sign} ${spoken}.</span> ${tied(verdict.sentence)}
    </h1>
    ${
      reasons.length === 0
        ? null
        : html`<ul class="reasons">
            ${reasons.map((reason) => html`<li>${tied(reasonText(reason))}</li>`)}
          </ul>`
    }
    ${document.findings.map(findingBox)}
    ${factList([
      ...(document.trials.length === 0 ? [] : measureRows(document)),
      ['Trials', countWords(verdict) || 'none'],
      ['Trigger', `${plainText(run.trigger.words)}, for ${formatMs(run.triggerMs)}`],
      ['Client', run.client],
      ['Target', targetWords(run)],
      ['Started', formatInstant(run.startedAt)],
    ])}
  </header> `
}

function trials(document: RecoveryDocument): Markup {
  const unclear = unclearWords(document.trials)
  return html`<p>
      Back after: from the end of the trigger, known to within so much. Served before and at the
      end: the share of those wanted; no trigger: of a run without it, from the same moment on. At
      the end is the last quarter of the observation; kickoffs sent and executions started in it are
      told for each one wanted. Backlog: most that waited for a worker; in flight: those that the
      client waited for when the observation ended.
    </p>
    ${table(
      [
        { title: 'seed', kind: 'number' },
        { title: 'outcome' },
        { title: 'back after', kind: 'number' },
        { title: 'within', kind: 'number' },
        { title: 'served before', kind: 'number' },
        { title: 'at the end', kind: 'number' },
        { title: 'no trigger', kind: 'number' },
        { title: 'sent', kind: 'number' },
        { title: 'started', kind: 'number' },
        { title: 'backlog', kind: 'number' },
        { title: 'in flight', kind: 'number' },
      ],
      document.trials.map((trial) => {
        const row = trialRow(trial)
        return [
          row.seed,
          row.outcome,
          row.back,
          row.window,
          row.before,
          row.after,
          row.control,
          row.attempts,
          row.started,
          row.backlog,
          row.inFlight,
        ]
      }),
      'No trial came to its end.',
    )}
    ${
      unclear.length === 0
        ? null
        : html`<ul class="reasons">
            ${unclear.map((text) => html`<li>${tied(text)}</li>`)}
          </ul>`
    }`
}

function method({ run }: RecoveryDocument): Markup {
  return html`<p>
      Service is the share of the executions wanted that completed within their deadline
      (${formatMs(run.deadlineMs)}), counted by when they were wanted. It is restored from the first
      moment on from which every window of the observation has at least 95 % of the share before the
      trigger; the window is as short as lets the noise of a steady service look like another fall
      in at most 1 % of observations. Later than ${formatMs(run.withinMs)} is slow. Executions
      wanted shortly before the trigger, which it may touch, count neither here nor there.
    </p>
    ${factList([
      ['A run', courseWords(run)],
      ['Runs', `${seedWords(run)}; ${run.runs} in all, in ${formatMs(run.durationMs)}`],
      ['Network', run.network === null ? 'sockets' : plainText(run.network, 400)],
    ])}
    ${filesBeside([
      ['recovery.json', 'every number shown here'],
      ['summary.md', 'the short form for a pull request'],
    ])}
    ${
      run.command === null
        ? null
        : html`<h4>Run it again</h4>
            ${commandLine(run.command)}`
    }`
}
