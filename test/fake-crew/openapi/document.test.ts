/** The document itself: valid OpenAPI 3.1, in either dialect. */
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../../fake-crew/openapi/document.ts'
import type { Dialect } from '../../../src/crew/wire.ts'
import { METHODS, asServed } from './contract.ts'

const DIALECTS: Dialect[] = ['interface', 'platform']

describe.each(DIALECTS)('the document of dialect %s is valid OpenAPI 3.1', (dialect) => {
  const options = { dialect, url: 'http://127.0.0.1', inputs: ['topic'], limits: [] }
  const document = asServed(openApiDocument(options))
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ path, method, operation }]
    }),
  )

  test('it is JSON, of the version it says', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
    expect(document.openapi).toBe('3.1.0')
  })

  test('every reference points at something', () => {
    const text = JSON.stringify(document)
    const pointers = [...text.matchAll(/"(#\/[^"]+)"/g)].map(([, pointer = '']) => pointer)
    expect(pointers.length).toBeGreaterThan(10)
    for (const pointer of pointers) {
      const steps = pointer.slice(2).split('/')
      const target = steps.reduce<unknown>(
        (node, step) => (node as Record<string, unknown> | undefined)?.[step],
        document,
      )
      if (target === undefined) throw new Error(`${pointer} points at nothing`)
    }
  })

  test('operation ids are unique, tags and security schemes declared, answers described', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = document.tags.map(({ name }) => name)
    for (const { operation } of operations) {
      expect(tags).toEqual(expect.arrayContaining(operation.tags ?? []))
      const schemes = [...document.security, ...(operation.security ?? [])].flatMap(Object.keys)
      expect(Object.keys(document.components.securitySchemes)).toEqual(
        expect.arrayContaining(schemes),
      )
      const answers = Object.entries(operation.responses)
      expect(answers.length).toBeGreaterThan(0)
      for (const [status, response] of answers) {
        expect(status).toMatch(/^[1-5]\d\d$/)
        expect('$ref' in response || 'description' in response).toBe(true)
      }
    }
  })

  test('every parameter of a path is declared', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
      const declared = item.parameters ?? []
      expect(declared.filter((p) => p.in === 'path').map(({ name }) => name)).toEqual(named)
    }
  })
})
