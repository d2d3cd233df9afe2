import { expect, test } from 'vitest'
import {
  emptyDocument,
  failingDocument,
  hostileDocument,
  invalidDocument,
  severalDocument,
  steadyDocument,
  tinyDocument,
} from './sample-document.ts'
import { runFile } from '../../support/run-shown.ts'

function names(xml: string): string[] {
  return [...xml.matchAll(/<testcase name="([^"]*)"/g)].map(([, name = '']) => name)
}

test('a run has one testcase a gate, named apart, of the class of the scenario', () => {
  const xml = runFile(steadyDocument(), 'junit.xml')
  expect(new Set(names(xml)).size).toBe(8 + 6)
  expect(xml.match(/classname="steady"/g)).toHaveLength(14)
  const hostile = names(runFile(hostileDocument(), 'junit.xml'))
  expect(new Set(hostile).size).toBe(hostile.length)
})

test.each([
  ['a miss is a failure', failingDocument, /failures="5" errors="0" skipped="1"/],
  ['an invalid measurement is an error, once', invalidDocument, /failures="0" errors="1"/],
  ['a gate with too few samples is skipped', tinyDocument, /errors="0" skipped="5"/],
  [
    'a check that was skipped says why',
    emptyDocument,
    /<skipped message="not known on this host; highest event-loop utilisation/,
  ],
  ['a reason that no gate covers is shown', emptyDocument, /<testcase name="verdict no-arrivals"/],
  /** https://github.com/jenkinsci/xunit-plugin, junit-10.xsd: of all suites together. */
  [
    'the suites have no attribute that Jenkins does not know',
    tinyDocument,
    /<testsuites tests="\d+" failures="\d+" errors="\d+" time="[\d.]+">/,
  ],
])('%s', (_, documentOf, pattern) => {
  expect(runFile(documentOf(), 'junit.xml')).toMatch(pattern)
})

test('the reason of a failed check is shown once, as that check', () => {
  for (const document of [severalDocument(), invalidDocument()]) {
    const [reason] = document.verdict.reasons
    expect(names(runFile(document, 'junit.xml'))).not.toContain(`verdict ${reason!.code}`)
  }
})
