/** Asks a crew's model as a client would, on a clock that the test owns. */
import type { Crew, CrewOptions } from '../../fake-crew/model/crew.ts'
import { createCrew } from '../../fake-crew/model/crew.ts'
import type { Answered, FakeRequest, Reply } from '../../fake-crew/model/exchange.ts'
import { Held } from '../../fake-crew/model/exchange.ts'
import type { Profile } from '../../fake-crew/model/profile.ts'
import type { Push } from '../../fake-crew/model/push/pushes.ts'

export const TOKENS = { organization: 'org-token', user: 'user-token' }
export const INPUTS = { topic: 'tides', audience: 'sailors' }

export class Client {
  readonly crew: Crew

  constructor(profile: Profile, options: Partial<CrewOptions> = {}) {
    this.crew = createCrew(profile, { tokens: TOKENS, ...options })
  }

  ask(method: string, path: string, change: Partial<FakeRequest> = {}, atMicros = 0): Reply {
    const { reply, servedMicros } = this.askPatiently(method, path, change, atMicros)
    if (servedMicros > atMicros) throw new Error(`held back for ${servedMicros - atMicros} us`)
    return reply
  }

  /** Whatever it is held back for: when it is served then. */
  askPatiently(
    method: string,
    path: string,
    change: Partial<FakeRequest> = {},
    atMicros = 0,
  ): { reply: Reply; servedMicros: number } {
    const request: FakeRequest = {
      method,
      path,
      body: null,
      address: '127.0.0.1',
      ...change,
      headers: { authorization: `Bearer ${TOKENS.organization}`, ...change.headers },
    }
    const { reply, servedMicros } = patiently(this.crew.answer(request, atMicros), atMicros)
    this.crew.finished(request, servedMicros + reply.delayMicros)
    return { reply, servedMicros }
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

  /**
   * Sends the pushes that are due in this time, as a host does, each of which is answered at once;
   * returns when each was sent.
   */
  push(
    fromMicros: number,
    untilMicros: number,
    statusOf: (push: Push) => number | null = () => 204,
  ): number[] {
    const { crew } = this
    const sentMicros: number[] = []
    for (let at = fromMicros; at <= untilMicros; at = Math.max(at, crew.nextPushMicros)) {
      for (const push of crew.duePushes(at)) {
        sentMicros.push(at)
        crew.pushed(push, statusOf(push), at)
      }
    }
    return sentMicros
  }
}

/** Waits as long as the crew says, as often as it says so. */
export function patiently(
  answered: Answered,
  atMicros: number,
): { reply: Reply; servedMicros: number } {
  if (!(answered instanceof Held)) return { reply: answered, servedMicros: atMicros }
  const servedMicros = atMicros + answered.holdMicros
  return patiently(answered.reply(servedMicros), servedMicros)
}

export function bodyOf(reply: Reply): unknown {
  return JSON.parse(reply.body ?? 'null')
}
