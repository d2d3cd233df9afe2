/** `agreement.md`: what a reviewer reads in a pull request. */
import type { AgreementDocument, AspectStatus } from '../document.ts'
import { formatInstant } from '../../../report/frame/format.ts'
import { code, escapeMarkdown, table } from '../../../report/frame/markdown-text.ts'
import type { AgreementCell, AgreementRow } from './rows.ts'
import { AGREEMENTS, agreementRows } from './rows.ts'

/** GitHub-flavoured; every foreign text is escaped or stands in a code span. Ends with a newline. */
export function renderAgreementMarkdown(document: AgreementDocument): string {
  const { verdict, scenario } = document
  const { word, sign } = AGREEMENTS[verdict.outcome]
  const blocks = [
    `## ${sign} ${word}: ${escapeMarkdown(scenario)}`,
    escapeMarkdown(verdict.sentence, 400),
    verdict.reasons.map((reason) => `- ${escapeMarkdown(reason, 400)}`).join('\n'),
    aspects(document),
    provenance(document),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

const STATUSES: Record<AspectStatus, string> = {
  same: '✓ ok',
  differs: '✗ **differs**',
  'too-few': '? too few',
  'not-known': '? not known',
}

function aspects(document: AgreementDocument): string {
  const head = ['', '', ...document.runs.map(({ name }) => code(name)), 'bound']
  return table(head, agreementRows(document).map(rowTexts))
}

function rowTexts({ label, status, bound, cells }: AgreementRow): string[] {
  return [status === null ? '' : STATUSES[status], label, ...cells.map(cellText), bound]
}

function cellText({ text, difference, status }: AgreementCell): string {
  const whole = difference === '' ? text : `${text} (${difference})`
  return status === 'differs' ? `**${whole}**` : whole
}

function provenance(document: AgreementDocument): string {
  const { profile, seed, speed, startedAt, crewload, command } = document
  const facts = [
    escapeMarkdown(profile),
    `seed ${seed}`,
    ...(speed === 1 ? [] : [`time-lapse x${speed}`]),
    formatInstant(startedAt),
    `crewload ${escapeMarkdown(crewload)}`,
  ]
  const repeat = command === null ? '' : `\n\n${code(command, 500)}`
  return `<sub>${facts.join(' · ')}</sub>${repeat}`
}
