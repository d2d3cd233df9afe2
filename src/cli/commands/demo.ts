/** `crewload demo`: everything once, in half a minute, against a fake crew. */
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'
import { commandWords } from '../flags/to-run-options.ts'
import { runAndShow } from './run.ts'

/** A second stands for two minutes. */
const DEMO_SPEED = 120

interface DemoOptions {
  out: string
  seed?: number
  json?: boolean
}

export async function demoCommand(options: DemoOptions, io: Io): Promise<number> {
  const { out, seed, json = false } = options
  if (!json) io.stderr.write(INTRODUCTION)
  const code = await runAndShow(
    'demo',
    io,
    { quiet: false, json },
    {
      profile: 'default',
      speed: DEMO_SPEED,
      out,
      env: io.env,
      command: commandWords(io.args),
      ...(seed === undefined ? {} : { seed }),
    },
  )
  if (!json && code === EXIT.passed) io.stdout.write(NEXT_STEPS)
  return code
}

const INTRODUCTION = `A fake crew starts on this machine, and 56 minutes of load on it pass in 28 seconds.
Nothing leaves this machine and nothing costs money.

`

const NEXT_STEPS = `
  next    crewload init                                     a scenario of your own
          crewload check --target https://your-crew         look at a deployment once
`
