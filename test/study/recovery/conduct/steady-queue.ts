/** A crew that serves 10 executions a second, and the steady load of half of that. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Ten workers, a second for each execution. */
export const QUEUE = `name: queue
inputs: [topic]
tasks:
  - { id: write, agent: Writer, duration: 1s }
capacity: { workers: 10 }
`

/** 5 a second, evenly. Who is not done at the deadline has gone. */
export function steady(polling: string, deadline: string): string {
  return `export default {
  name: 'steady-queue',
  arrivals: { rate: '5/s', for: '1m', process: 'uniform' },
  inputs: { topic: 'tides' },
  polling: { fixed: '${polling}' },
  deadline: '${deadline}',
  connections: { max: 1000 },
}
`
}

interface SteadyQueue {
  profile: string
  scenario: string
}

export async function writeSteadyQueue(folder: string, load: string): Promise<SteadyQueue> {
  const [profile, scenario] = [join(folder, 'queue.yaml'), join(folder, 'steady.mjs')]
  await Promise.all([writeFile(profile, QUEUE), writeFile(scenario, load)])
  return { profile, scenario }
}
