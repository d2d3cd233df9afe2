import { describe, expect, test } from 'vitest'
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

describe('junit.xml', () => {
  test('has one testcase a gate, named apart, of the class of the scenario', () => {
    const xml = runFile(steadyDocument(), 'junit.xml')
    expect(names(xml)).toHaveLength(8 + 6)
    expect(new Set(names(xml)).size).toBe(14)
    expect(xml.match(/classname="steady"/g)).toHaveLength(14)
  })

  test('names equal gates apart by number', () => {
    const seen = names(runFile(hostileDocument(), 'junit.xml'))
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('calls a miss a failure', () => {
    expect(runFile(failingDocument(), 'junit.xml')).toMatch(/failures="5" errors="0" skipped="1"/)
  })

  test('calls an invalid measurement an error, once', () => {
    const xml = runFile(invalidDocument(), 'junit.xml')
    expect(xml).toMatch(/failures="0" errors="1"/)
    expect(xml).toContain('<error message="the generator was late: p99 38 ms, bound 5 ms')
  })

  test('skips a gate with too few samples', () => {
    expect(runFile(tinyDocument(), 'junit.xml')).toMatch(/errors="0" skipped="5"/)
  })

  test('says why a check of the measurement was skipped', () => {
    expect(runFile(emptyDocument(), 'junit.xml')).toContain(
      '<skipped message="not known on this host; highest event-loop utilisation',
    )
  })

  /** https://github.com/jenkinsci/xunit-plugin, junit-10.xsd: of all suites together. */
  test('gives the suites no attribute that Jenkins does not know', () => {
    const [, attributes = ''] = /<testsuites([^>]*)>/.exec(runFile(tinyDocument(), 'junit.xml'))!
    const named = [...attributes.matchAll(/ (\w+)=/g)].map(([, name]) => name)
    expect(named).toEqual(['tests', 'failures', 'errors', 'time'])
  })

  test('shows a reason that no gate covers', () => {
    expect(names(runFile(emptyDocument(), 'junit.xml'))).toContain('verdict no-arrivals')
  })

  test('shows the reason of a failed check once, as that check', () => {
    for (const document of [severalDocument(), invalidDocument()]) {
      const [reason] = document.verdict.reasons
      expect(names(runFile(document, 'junit.xml'))).not.toContain(`verdict ${reason!.code}`)
    }
  })
})
