/** `crewload demo`: shows everything once, in half a minute, against a fake crew. */
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { wholeNumber } from '../flags/values.ts'

/** One second represents two minutes. */
const DEMO_SPEED = 120

interface DemoFlags {
  out: string
  seed?: number
  json?: boolean
}

const INTRODUCTION = `A fake crew starts on this machine, and 56 minutes of load pass in 28 seconds.
Nothing leaves this machine and nothing costs money.

`

const NEXT_STEPS = `
  next    crewload init                                     a scenario of your own
          crewload check --target https://your-crew         look at a deployment once
`

export const demo: MainCommand = {
  name: 'demo',
  group: 'Try it',
  description: 'run a scenario on a fake crew in a time-lapse, and show its verdict and report',
  declare(command) {
    command
      .option('--out <folder>', 'folder in which the run folder is created', 'reports')
      .option('--seed <n>', 'seed of every random draw', wholeNumber(0))
      .option('--json', 'print the result as JSON on stdout')
  },
  async act(io, { out, seed, json = false }: DemoFlags) {
    const { commandWords } = await import('../flags/command-words.ts')
    const { runAndShow } = await import('../shown/watched.ts')
    if (!json) io.stderr.write(INTRODUCTION)
    const options = {
      profile: 'default',
      speed: DEMO_SPEED,
      out,
      env: io.env,
      command: commandWords(io.args),
      ...(seed === undefined ? {} : { seed }),
    }
    const code = await runAndShow('demo', io, { quiet: false, json }, options)
    if (!json && code === EXIT.passed) io.stdout.write(NEXT_STEPS)
    return code
  },
}
