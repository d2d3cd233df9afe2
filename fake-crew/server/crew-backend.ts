/** A crew behind the server: passes every request to the model and sends the model's replies. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Crew } from '../model/crew.ts'
import { internalError } from '../model/front.ts'
import type { Answered } from '../model/exchange.ts'
import { ContentReply, Held, WHOLE } from '../model/exchange.ts'
import { openApiDocument } from '../openapi/document.ts'
import { tellBug } from './bugs.ts'
import type { Backend, ReadBody } from './backend.ts'
import { arrival } from './backend.ts'
import type { LiveModel } from './live-model.ts'
import { otherMethods } from './other-methods.ts'
import type { ReplySender } from './reply-sender.ts'

const REQUEST_TIMEOUT_MS = 60_000

export function crewBackend(live: LiveModel<Crew>): Backend {
  return {
    live,
    forwardsTo: null,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    ledger: () => live.model.ledger(live.nowMicros()),
    furnish(app) {
      app.addContentTypeParser(['application/json', '*'], (_, stream: IncomingMessage, done) =>
        readBody(stream, live.profile.limits.bodyBytes, (body) => done(null, body)),
      )
      app.register(async (documents) => {
        const closeMethods = otherMethods(documents)
        documents.get('/openapi.json', async ({ protocol, host }) => {
          const { dialect, limits, capacity, paths, optionalInputs = [] } = live.profile
          const inputs = live.profile.inputs.filter((name) => !optionalInputs.includes(name))
          const waking = capacity.coldStart?.requests ?? null
          const url = `${protocol}://${host}`
          return openApiDocument({ dialect, inputs, paths, limits: limits.rules, waking, url })
        })
        closeMethods()
      })
    },
    answer,
    answerUndecoded: answer,
  }

  function answer(request: FastifyRequest, reply: FastifyReply, performer: ReplySender): void {
    reply.hijack()
    const { model } = live
    const { raw: response } = reply
    const asked = arrival(request, reply, live, (gone, nowMicros) => {
      performer.forget(response)
      model.finished(gone, nowMicros)
    })
    const goOn = (act: () => Answered): void => {
      const answered = safely(model, act)
      if (!(answered instanceof Held)) return performer.perform(answered, response)
      performer.hold(answered.holdMicros, response, () =>
        goOn(() => answered.reply(live.nowMicros())),
      )
    }
    goOn(() => model.answer(asked, live.nowMicros()))
  }
}

/** A bug of ours becomes a 500 for the client and never stops the server. */
function safely(model: Crew, answer: () => Answered): Answered {
  try {
    return answer()
  } catch (error) {
    tellBug(error)
    return new ContentReply(internalError(model.profile.dialect), 0, WHOLE)
  }
}

/** The body exceeds the limit: what was read is discarded, and the rest is drained unread. */
const OVERSIZE: ReadBody = { text: null, oversize: true }

/**
 * Calls `done` once, at the end of the body or as soon as it exceeds `limitBytes`; never if the
 * client disconnects first.
 */
function readBody(stream: Readable, limitBytes: number, done: (body: ReadBody) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    if (bytes > limitBytes) return
    bytes += chunk.length
    if (bytes <= limitBytes) chunks.push(chunk)
    else done(OVERSIZE)
  })
  stream.on('end', () => {
    if (bytes <= limitBytes) done({ text: textOf(chunks), oversize: false })
  })
}

/** Most bodies come in one piece, which needs no copy. */
function textOf(chunks: Buffer[]): string {
  const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  return whole.toString('utf8')
}
