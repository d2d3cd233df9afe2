/** Generates the list of `docs/metrics.md` from the families of metrics. */
import type { MetricFamily } from '../../src/scenario/thresholds/metrics/index.ts'
import { METRIC_FAMILIES } from '../../src/scenario/thresholds/metrics/index.ts'
import { wrap } from '../../src/base/wrap.ts'
import { code } from './table.ts'

export const METRICS_DOCUMENT = 'docs/metrics.md'

const LINE_WIDTH = 120

/**
 * Returns the document; `written` is the current one, of which all but the section `Every metric`
 * is kept.
 */
export function metricsDocument(written: string): string {
  return written.replace(/(?<=^## Every metric\n)[\s\S]*?(?=^## )/m, () => `\n${section()}\n\n`)
}

function section(): string {
  const head =
    'This list is generated from the code (`npm run generate`). `OPERATION` is `inputs`, ' +
    '`kickoff` or `status`; `NAME` is an outcome, or one of your checks.'
  return [...lines(head, ''), '', ...METRIC_FAMILIES.flatMap(familyLines)].join('\n')
}

function familyLines({ pattern, meaning, each }: MetricFamily): string[] {
  if (each === undefined) return item(alternatives(pattern), meaning, '')
  const inner = Object.entries(each).flatMap(([word, text]) =>
    item([pattern.replace(ALTERNATIVES, word)], text, '  '),
  )
  return [...item([pattern.replace(ALTERNATIVES, 'KIND')], meaning, ''), ...inner]
}

const ALTERNATIVES = /<[^>|]+\|[^>]+>/

function alternatives(pattern: string): string[] {
  const [slot] = ALTERNATIVES.exec(pattern) ?? []
  if (slot === undefined) return [pattern]
  return slot
    .slice(1, -1)
    .split('|')
    .map((word) => pattern.replace(slot, word))
}

function item(patterns: readonly string[], text: string, indent: string): string[] {
  const names = patterns.map((pattern) => code(nameOf(pattern))).join(', ')
  return lines(`- ${names}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`, indent)
}

function nameOf(pattern: string): string {
  return pattern
    .replace('<operation>', 'OPERATION')
    .replace('<statistic>', 'STAT')
    .replace(/<(?:outcome|name)>/, 'NAME')
}

function lines(text: string, indent: string): string[] {
  const later = text.startsWith('- ') ? `${indent}  ` : indent
  return wrap(text, LINE_WIDTH, indent, later)
}
