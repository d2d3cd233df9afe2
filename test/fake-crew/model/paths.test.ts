import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { PathReader } from '../../../fake-crew/model/route.ts'
import { createKickoffIds } from '../../../fake-crew/model/work/kickoff-id.ts'

const ids = createKickoffIds(createRandom(1))

describe('a path that was read before', () => {
  test('says what it said, also when thousands of others came between', () => {
    const reader = new PathReader(ids, {})
    const ordinals = Array.from({ length: 40_000 }, (_, ordinal) => ordinal)
    const read = () => ordinals.map((ordinal) => reader.read(`/status/${ids.idOf(ordinal)}`).issued)
    expect(read()).toEqual(ordinals)
    expect(read()).toEqual(ordinals)
  })

  test('is not mistaken for one that differs in its query, its case or its id', () => {
    const reader = new PathReader(ids, {})
    const id = ids.idOf(7)
    const other = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
    for (let round = 0; round < 2; round++) {
      expect(reader.read(`/status/${id}`).issued).toBe(7)
      expect(reader.read(`/status/${id}?again=1`).issued).toBe(7)
      expect(reader.read(`/status/${id.toUpperCase()}`).issued).toBe(7)
      expect(reader.read(`/STATUS/${id}`)).toEqual({ route: undefined, issued: undefined })
      expect(reader.read(`/status/${other}`).issued).not.toBe(7)
      expect(reader.read(`/inputs/${id}`).route).toBeUndefined()
      expect(reader.read(`/${'x'.repeat(500)}`).route).toBeUndefined()
      expect(reader.read('/kickoff').route?.operation).toBe('kickoff')
    }
  })
})

test('paths of a crew that serves them elsewhere are read, and no others', () => {
  const paths = { inputs: '/v1/inputs', kickoff: '/v1/start', status: '/v1/{id}/status' }
  const reader = new PathReader(ids, { paths })
  const id = ids.idOf(7)
  expect(reader.read(`/v1/${id}/status?x`).issued).toBe(7)
  expect(reader.read('/v1/start').route?.operation).toBe('kickoff')
  expect(reader.read('/v1/inputs').route?.operation).toBe('inputs')
  for (const other of [
    `/status/${id}`,
    '/kickoff',
    '/v1//status',
    '/v1/a/b/status',
    '/v1/status',
  ]) {
    expect(reader.read(other).route).toBeUndefined()
  }
})
