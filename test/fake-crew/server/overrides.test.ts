/** What was asked for at the start goes before what a later profile says. */
import { expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'

test('dialect, speed and seed outlast another profile', async () => {
  const crew = await startFakeCrew({ profile: 'fast', dialect: 'platform', speed: 5, seed: 9 })
  try {
    const body = 'name: other\ninputs: [city]\ntasks: [{ id: a, agent: A, duration: 1s }]'
    const put = await fetch(`${crew.url}/__fake__/profile`, { method: 'PUT', body })
    const asked = { dialect: 'platform', speed: 5, seed: 9 }
    expect(await put.json()).toMatchObject({ name: 'other', inputs: ['city'], ...asked })
  } finally {
    await crew.stop()
  }
})
