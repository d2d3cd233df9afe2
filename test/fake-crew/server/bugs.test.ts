/**
 * A failure of the model itself is a 500 to the client, and told on standard error with its place:
 * once, however often it comes.
 */
import process from 'node:process'
import { expect, test, vi } from 'vitest'
import type { Crew } from '../../../fake-crew/model/crew.ts'
import { createCrew } from '../../../fake-crew/model/crew.ts'
import { checkProfile } from '../../../fake-crew/profiles.ts'
import { crewBackend } from '../../../fake-crew/server/crew-backend.ts'
import { LiveModel } from '../../../fake-crew/server/live-model.ts'
import { serve } from '../../../fake-crew/server/server.ts'
import { TOKENS } from '../client.ts'
import { SAMPLE } from '../sample-profile.ts'

function breakInside(): never {
  throw new Error('a sum went wrong')
}

function brokenCrew(): LiveModel<Crew> {
  return new LiveModel<Crew>(checkProfile(SAMPLE, 'x'), (profile, start) => {
    const crew = createCrew(profile, { tokens: TOKENS, ...start })
    crew.answer = breakInside
    return crew
  })
}

test('a bug is answered with 500 and told once, with its place', async () => {
  const told = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const backend = crewBackend(brokenCrew())
  const server = await serve({ backend, adminToken: null, host: '127.0.0.1', port: 0 })
  try {
    for (let n = 0; n < 3; n++) expect((await fetch(`${server.url}/inputs`)).status).toBe(500)
    expect(told).toHaveBeenCalledTimes(1)
    expect(told.mock.calls[0]![0]).toMatch(/a sum went wrong\n +at .*breakInside.*bugs\.test/)
  } finally {
    told.mockRestore()
    await server.stop()
  }
})
