/** The sections of a run's report: where each stands, and when it is absent. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../../src/result/document.ts'
import { RUN_SECTIONS } from '../../../../src/report/run/report.ts'
import { emptyDocument, failingDocument, steadyDocument, tinyDocument } from '../sample-document.ts'
import { runFile } from '../../../support/run-shown.ts'

/** Nothing failed, nothing was checked, and nobody knows how it was started. */
function bareDocument(): ResultDocument {
  const { pushback, run, ...rest } = steadyDocument()
  const { limits: _limits, retries, waits } = pushback
  const calm = { limits: [], waits: { ...waits, answers: 0 }, retries: calmRetries(retries) }
  return { ...rest, pushback: calm, run: { ...run, command: null }, checks: [], ledger: null }
}

function calmRetries(
  retries: ResultDocument['pushback']['retries'],
): ResultDocument['pushback']['retries'] {
  return { ...retries, operations: [], executions: 0, budgetSpent: false }
}

test('a title stands on the page once, and only where its section has something to show', () => {
  for (const document of [failingDocument(), tinyDocument(), emptyDocument(), bareDocument()]) {
    const page = runFile(document, 'report.html')
    for (const { title, blocks } of RUN_SECTIONS) {
      if (title === null) continue
      const times = page.split(`<h3 class="part">${title}</h3>`).length - 1
      const isTold = blocks(document).some(
        (block) =>
          block.kind === 'verbatim' ||
          (block.kind === 'prose' && block.text !== '') ||
          (block.kind === 'table' && (block.rows.length > 0 || block.empty !== null)),
      )
      expect([title, times]).toEqual([title, isTold ? 1 : 0])
    }
  }
})

describe('is absent from a run that has nothing to tell of it:', () => {
  test.each([
    ['Too few for quantiles: the individual values', tinyDocument],
    ['After the faults', failingDocument],
    ['Limits and retries', failingDocument],
    ['Checks of the scenario', failingDocument],
    ['The fake crew’s ledger against the client’s records', failingDocument],
    ['Run it again', steadyDocument],
  ])('%s', (title, telling) => {
    expect(runFile(telling(), 'report.html')).toContain(`<h3 class="part">${title}</h3>`)
    expect(runFile(bareDocument(), 'report.html')).not.toContain(`<h3 class="part">${title}</h3>`)
  })
})

test('a command with a value that is not kept says so', () => {
  const { run, ...rest } = steadyDocument()
  const pageOf = (command: string) => runFile({ ...rest, run: { ...run, command } }, 'report.html')
  const note = 'Put in your own values for ***: no report keeps them.'
  expect(pageOf("crewload run --inputs '{***}'")).toContain(note)
  expect(pageOf('crewload run steady')).not.toContain(note)
})

function outcomeSentence(document: ResultDocument): string {
  const facts = RUN_SECTIONS.flatMap((section) => section.facts?.(document) ?? [])
  return facts.find(({ name }) => name === 'Outcomes')!.text
}

/** A kickoff that reached nobody was rejected by nobody: the words say so. */
test.each([
  [['refused'], true],
  [['dns', 'refused'], true],
  [['refused', 429], false],
  [[429], false],
] as const)('rejected for %j: without a connection is %j', (answers, told) => {
  const rejected = answers.map((answer) => {
    return { reason: { code: 'answer', answer } as const, count: 3 }
  })
  const base = steadyDocument()
  const outcomes = { ...base.outcomes, rejected: 3 }
  const document = { ...base, outcomes, reasons: { ...base.reasons, rejected } }
  const words = `, no connection: ${answers.join(', ')}`
  expect(outcomeSentence(document).includes(words)).toBe(told)
})

test('503 is a limit where it asks for a wait, and the words say so', () => {
  const base = failingDocument()
  const [limit] = base.pushback.limits
  const limits = [{ ...limit!, code: 503, count: 13, requests: 1_000 }]
  const page = runFile({ ...base, pushback: { ...base.pushback, limits } }, 'report.html')
  expect(page).toMatch(/503\swith\sa\swait\sfor\s13\sof\s1,000\spolls/)
})
