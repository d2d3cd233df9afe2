/** `crewload mcp`: tools for coding agents, within a budget that a person sets. */
import { texts, yes } from '../../base/options/kinds.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { grouped, option } from '../../base/options/table.ts'
import { OUT, PLAN, REACH } from '../../run/options.ts'
import type { MainCommand } from '../command.ts'
import type { Io } from '../io/io.ts'

const { tokens, tokenSource, headers, tls } = REACH

const MCP = {
  ...grouped('Target', {
    target: option(
      '--target <url>',
      'a deployment that tools may send to, repeatable; what is on loopback needs no naming',
      texts,
      { default: [], otherwise: 'none' },
    ),
    tokens,
    tokenSource,
    headers,
    tls,
  } satisfies OptionTable),
  ...grouped('Budget', {
    kickoffs: {
      ...PLAN.budget.kickoffs,
      help: 'hard budget of all kickoffs that may cost money; without one, none is sent',
    },
    maxCost: PLAN.maxCost,
    costPerKickoff: PLAN.costPerKickoff,
  } satisfies OptionTable),
  code: option(
    '--allow-code',
    'also take scenarios that are programs (.ts, .js): they run beside the token',
    yes,
  ),
  out: OUT,
} satisfies OptionTable

type McpFlags = Given<typeof MCP>

const HELP = `The server speaks the Model Context Protocol on stdin and stdout. Its tools are check, plan, run,
verdict and explain. A client starts it in the folder of your project, as its settings say:

  { "command": "npx",
    "args": ["--no", "--", "crewload", "mcp", "--max-kickoffs", "20",
      "--target", "https://crew.example.com"],
    "env": { "CREWLOAD_TOKEN": "..." } }

All runs of a server share the budget, retries included; to start it again renews it. Tools read
files in the working folder alone. Tokens and headers go only to the targets named here. When the
client closes stdin, kickoffs stop, and executions in flight are followed to their end.
`

export const mcp: MainCommand = {
  name: 'mcp',
  group: 'Files and CI',
  description: 'serve tools to a coding agent, within a budget that you set',
  help: HELP,
  options: MCP,
  act: async (io, flags: McpFlags) => serveTools(flags, io),
}

async function serveTools(flags: McpFlags, io: Io): Promise<number> {
  const { affordable } = await import('../../run/plan/prepare.ts')
  const { leastOf } = await import('../../engine/sending-budget.ts')
  const { parseTarget } = await import('../../run/target/chosen-place.ts')
  const { connected, demandTokens } = await import('../flags/reach.ts')
  const { SharedBudget } = await import('../mcp/budget.ts')
  const { serveMcp } = await import('../mcp/server.ts')
  const { costPerKickoff = null, code = false } = flags
  const targets = flags.target.map((url) => parseTarget(url))
  const limit = leastOf(flags.kickoffs, affordable(flags))
  if (limit === null && costPerKickoff !== null) throw priceAlone()
  const { headers, ...reached } = await connected(flags, io)
  if (targets.length > 0) demandTokens(reached.tokens)
  if (limit === null && targets.length > 0) io.stderr.write(NO_BUDGET)
  return serveMcp(
    {
      targets,
      budget: new SharedBudget(limit, costPerKickoff),
      connection: {
        tokens: reached.tokens,
        headers,
        tls: reached.tls,
        ...(reached.tokensFrom === undefined ? {} : { tokensFrom: reached.tokensFrom }),
        ...(reached.tokenSource === undefined ? {} : { tokenSource: reached.tokenSource }),
      },
      env: io.env,
      out: flags.out,
      code,
    },
    io,
  )
}

const NO_BUDGET =
  'crewload: no budget: tools can examine and plan, but send no kickoff that may cost money\n'

function priceAlone(): UserError {
  const problem = 'only allowed with --max-cost or --max-kickoffs'
  return new UserError({ source: '--cost-per-kickoff', problem })
}
