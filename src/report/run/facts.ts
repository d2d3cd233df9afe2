/** The facts of the sections, one line each: first those that every run has, then the others. */
import type { ResultDocument } from '../../result/document.ts'
import { isShown } from '../frame/report.ts'
import type { Fact, Medium } from '../frame/report.ts'
import { RUN_SECTIONS } from './sections/list.ts'

export function factsOf(document: ResultDocument, medium: Medium): Fact[] {
  return [
    ...RUN_SECTIONS.flatMap(({ facts }) => facts?.(document) ?? []),
    ...RUN_SECTIONS.flatMap(({ furtherFacts }) => furtherFacts?.(document) ?? []),
  ].filter((fact) => isShown(fact, medium))
}
