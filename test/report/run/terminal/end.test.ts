import { describe, expect, test } from 'vitest'
import { steadyDocument } from '../sample-document.ts'
import { runTerminal } from '../../../support/run-shown.ts'

const PLAIN = { color: false, width: 100, reportPath: null }

describe('the end print', () => {
  test('says that time was virtual, and over which network', () => {
    const document = steadyDocument()
    const network = { name: 'lan', words: '1 ms\u001b[31m' }
    const run = { ...document.run, engine: 'virtual' as const, network }
    const told = runTerminal({ ...document, run }, { ...PLAIN, width: 160 })
    expect(told).toContain(
      '\n  Simulated in virtual time, over the network lan: 1 ms<U+001B>[31m.\n',
    )
    expect(runTerminal(document, PLAIN)).not.toContain('Simulated')
  })

  test('splits the table of waits where it has no room, and tells sources below', () => {
    const heads = (width: number): number =>
      runTerminal(steadyDocument(), { ...PLAIN, width }).match(/What users wait for/g)!.length
    expect([heads(80), heads(60)]).toEqual([1, 2])
    expect(runTerminal(steadyDocument(), PLAIN)).toContain(
      'waiting for a worker, detection delay: from the ledger',
    )
  })
})
