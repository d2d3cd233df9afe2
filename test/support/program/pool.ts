/**
 * Long-lived processes of the built command line, which the tests of all files share: a command
 * needs no new process, and seldom meets cold code.
 */
import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import type { Asked } from './program.ts'
import { cleanEnv, POOL } from './program.ts'

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url))

interface Program {
  /** Returns what the command line gave, as JSON; null if its process ended instead. */
  carry: (asked: Asked) => Promise<string | null>
  end: () => void
}

function startProgram(): Program {
  const child = spawn(process.execPath, [PROGRAM], {
    env: cleanEnv(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    carry: async ({ withinMs, ...asked }) => {
      child.stdin.write(`${JSON.stringify(asked)}\n`)
      const kill = withinMs === undefined ? null : setTimeout(() => child.kill('SIGKILL'), withinMs)
      const { done, value } = await lines.next()
      clearTimeout(kill ?? undefined)
      return done === true ? null : value
    },
    end: () => child.stdin.end(),
  }
}

const idle: Program[] = []
const IDLE_AT_MOST = 4

function endIdle(): void {
  for (const program of idle.splice(0)) program.end()
}

async function carried(asked: Asked): Promise<string> {
  const program = idle.pop() ?? startProgram()
  const finished = await program.carry(asked)
  if (finished === null) return ''
  if (idle.length < IDLE_AT_MOST) idle.push(program)
  else program.end()
  return finished
}

/** Each connection is one command line, answered by how it ended, or by nothing. */
export default async function openPool(project: TestProject): Promise<() => Promise<void>> {
  const path = join(tmpdir(), `crewload-programs-${process.pid}`)
  const server = createServer((socket) => {
    // The process of the test may end before its command line.
    socket.on('error', () => socket.destroy())
    createInterface({ input: socket }).once('line', async (asked) => {
      socket.end(await carried(JSON.parse(asked) as Asked))
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  process.env[POOL] = path
  project.onTestsRerun(endIdle)
  return async () => {
    endIdle()
    server.close()
    await rm(path, { force: true })
  }
}
