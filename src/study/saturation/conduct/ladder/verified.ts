/**
 * Makes autocannon verify certificates, which it never does by itself: it accepts any server and
 * sends the token immediately.
 */
import type { TLSSocket } from 'node:tls'
import { UnverifiedTarget } from './failures.ts'

/**
 * To be called in `setupClient`, before the client connects. Every socket that the client opens
 * holds back what is written to it until Node's own check against the authorities in
 * `tlsOptions.ca` has accepted its certificate; otherwise it ends with an UnverifiedTarget.
 */
export function holdUntilVerified(client: object): void {
  let socket: TLSSocket | undefined
  Object.defineProperty(client, 'conn', {
    get: () => socket,
    set: (opened: TLSSocket) => {
      socket = opened
      opened.cork()
      opened.once('secureConnect', () => {
        if (opened.authorized) opened.uncork()
        else opened.destroy(new UnverifiedTarget(String(opened.authorizationError)))
      })
    },
  })
}
