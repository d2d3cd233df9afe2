/** `crewload ui`: serves pages that list runs and studies, and that watch those under way. */
import { constants, setPriority } from 'node:os'
import { text, wholeNumber, yes } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { option } from '../../base/options/table.ts'
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'

const UI = {
  folder: option('[folder]', 'the folder with the runs and studies', text, { default: 'reports' }),
  port: option('--port <n>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), {
    default: 0,
  }),
  json: option('--json', 'print one line {"url"} when ready', yes),
} satisfies OptionTable

const HELP = `Runs lists every run and study, filters them, and compares runs. Live shows a run or a study
that is under way, whoever started it. It can drain or stop it, as Ctrl-C in its terminal does.

Only this machine can open the pages, and only with the token in the address. Ctrl-C ends the
server; runs continue.
`

/** Its page may still be open when a run that serves one has ended. */
const UNUSED_MS = 60_000

export const ui: MainCommand = {
  name: 'ui',
  group: 'Files and CI',
  description: 'serve a page with all runs and studies of a folder, and those under way',
  options: UI,
  help: HELP,
  async act(io, { folder, port, json }: Given<typeof UI>) {
    yieldToRuns()
    const { serveUi } = await import('../../ui/server.ts')
    const server = await serveUi(folder, port)
    const { url } = server
    io.stdout.write(
      json === true
        ? `${JSON.stringify({ url })}\n`
        : `${url}\n\nOpen this address in a browser. Ctrl-C ends the server.\n`,
    )
    await new Promise<void>((resolve) => {
      io.onInterrupt(() => resolve())
      void io.parentGone(false).then(async () => {
        await server.untilUnused(UNUSED_MS)
        resolve()
      })
    })
    await server.close()
    return EXIT.passed
  },
}

/** A run on this machine is on time, whoever looks at it. */
function yieldToRuns(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Some systems allow no other priority: the page looks seldom enough.
  }
}
