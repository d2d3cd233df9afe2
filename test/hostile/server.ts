/**
 * A target that does to a client whatever a row asks for: it reads requests off raw sockets and
 * leaves the answering to acts.
 */
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { DocumentedOperation } from '../../src/crew/answer.ts'

interface Call {
  operation: DocumentedOperation
  /** 0-based, among the calls of this operation. */
  nth: number
  /** The request line's target: `/status/<id>`. */
  path: string
  /** Of the connection, in the order of acceptance. */
  connection: number
  headers: Record<string, string>
  body: string
}

/** What is done to the socket on which a request has been read. */
export type Act = (socket: Socket, call: Call) => void

export interface Behaviour {
  inputs: Act
  kickoff: Act
  status: Act
}

export interface HostileTarget {
  url: string
  calls: Call[]
  connections(): number
  /** Stops listening; open connections live on. */
  refuse(): Promise<void>
  close(): Promise<void>
}

export async function startHostile(
  behaviour: Behaviour,
  onConnection: (socket: Socket) => void = () => {},
): Promise<HostileTarget> {
  const calls: Call[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    const connection = connections++
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    onConnection(socket)
    readRequests(socket, (head) => {
      const operation = operationOf(head.path)
      const nth = calls.filter((call) => call.operation === operation).length
      const call = { operation, nth, connection, ...head }
      calls.push(call)
      behaviour[operation](socket, call)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    connections: () => connections,
    refuse: () =>
      new Promise((refused) => {
        server.close()
        setImmediate(refused)
      }),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function operationOf(path: string): DocumentedOperation {
  if (path.endsWith('/kickoff')) return 'kickoff'
  return path.endsWith('/inputs') ? 'inputs' : 'status'
}

type Head = Pick<Call, 'path' | 'headers' | 'body'>

function readRequests(socket: Socket, onRequest: (head: Head) => void): void {
  let pending = ''
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1')
    for (;;) {
      const end = pending.indexOf('\r\n\r\n')
      if (end === -1) return
      const [requestLine = '', ...fields] = pending.slice(0, end).split('\r\n')
      const headers = Object.fromEntries(
        fields.map((field) => {
          const colon = field.indexOf(':')
          return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
        }),
      )
      const length = Number(headers['content-length'] ?? 0)
      if (pending.length < end + 4 + length) return
      const body = pending.slice(end + 4, end + 4 + length)
      pending = pending.slice(end + 4 + length)
      onRequest({ path: requestLine.split(' ')[1] ?? '', headers, body })
    }
  })
}
