/** `crewload demo`: shows everything once, in half a minute, against a fake crew. */
import type { Given, OptionTable } from '../../base/options/table.ts'
import { OUT, PLAN } from '../../run/options.ts'
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { JSON_RESULT } from '../flags/output.ts'

/** One second represents two minutes. */
const DEMO_SPEED = 120

const DEMO = {
  out: { ...OUT, help: 'folder in which the run folder is created' },
  seed: PLAN.seed,
  json: JSON_RESULT,
} satisfies OptionTable

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
  options: DEMO,
  async act(io, { json = false, ...given }: Given<typeof DEMO>) {
    const { commandWords } = await import('../flags/command-line.ts')
    const { watched } = await import('../shared/run.ts')
    const { run } = await import('../../run/run.ts')
    if (!json) io.stderr.write(INTRODUCTION)
    const options = {
      profile: 'default',
      speed: DEMO_SPEED,
      env: io.env,
      command: commandWords(io.args, DEMO),
      ...given,
    }
    const code = await watched({ quiet: false, json }, io, async (watching) =>
      run('demo', { ...options, ...watching }),
    )
    if (!json && code === EXIT.passed) io.stdout.write(NEXT_STEPS)
    return code
  },
}
