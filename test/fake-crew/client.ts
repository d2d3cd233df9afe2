/** Asks a crew's model as a client would, on a clock that the test owns. */
import type { Crew, CrewOptions } from '../../fake-crew/model/crew.ts'
import { createCrew } from '../../fake-crew/model/crew.ts'
import type { FakeRequest, Reply } from '../../fake-crew/model/exchange.ts'
import { Held } from '../../fake-crew/model/exchange.ts'
import type { Profile } from '../../fake-crew/model/profile.ts'

export const TOKENS = { organization: 'org-token', user: 'user-token' }
export const INPUTS = { topic: 'tides', audience: 'sailors' }

export class Client {
  readonly crew: Crew

  constructor(profile: Profile, options: Partial<CrewOptions> = {}) {
    this.crew = createCrew(profile, { tokens: TOKENS, ...options })
  }

  ask(method: string, path: string, change: Partial<FakeRequest> = {}, atMicros = 0): Reply {
    const request: FakeRequest = {
      method,
      path,
      body: null,
      address: '127.0.0.1',
      ...change,
      headers: { authorization: `Bearer ${TOKENS.organization}`, ...change.headers },
    }
    const reply = this.crew.answer(request, atMicros)
    if (reply instanceof Held) throw new Error(`held back for ${reply.holdMicros} us`)
    this.crew.finished(request, atMicros + reply.delayMicros)
    return reply
  }

  kickoffReply(atMicros = 0, inputs: Record<string, unknown> = INPUTS): Reply {
    return this.ask('POST', '/kickoff', { body: JSON.stringify({ inputs }) }, atMicros)
  }

  /** The new execution's id. */
  kickoff(atMicros = 0, inputs: Record<string, unknown> = INPUTS): string {
    return (bodyOf(this.kickoffReply(atMicros, inputs)) as { kickoff_id: string }).kickoff_id
  }

  status(kickoffId: string, atMicros: number): Reply {
    return this.ask('GET', `/status/${kickoffId}`, {}, atMicros)
  }
}

export function bodyOf(reply: Reply): unknown {
  return JSON.parse(reply.body ?? 'null')
}
