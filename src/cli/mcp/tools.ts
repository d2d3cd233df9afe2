/** Every tool, with its words: the server registers them, and `docs/agents.md` lists them. */
import { z } from 'zod'
import { demandInside } from './allowed.ts'
import { explained, explanationIn, measured, verdictIn } from './documents.ts'
import {
  checkInput,
  checkOutput,
  checkTarget,
  planOutput,
  planRun,
  runInput,
  runOutput,
  runWithin,
} from './sending.ts'
import type { ToolCall, ToolDefinition } from './tool.ts'

const folderInput = z.strictObject({
  folder: z.string().describe('Folder of a run or a study, as `run` returns it'),
})
type FolderInput = z.infer<typeof folderInput>

async function inside({ folder }: FolderInput, { allowed }: ToolCall): Promise<string> {
  await demandInside(folder, 'folder', [allowed.out])
  return folder
}

export const TOOLS: readonly ToolDefinition[] = [
  {
    name: 'check',
    description:
      'Examines a crew once: connection, token, inputs, dialect, clock, contract. Sends no kickoff ' +
      'unless asked to. Begin with it.',
    input: checkInput,
    output: checkOutput,
    isReading: false,
    act: async (given: z.infer<typeof checkInput>, call) => checkTarget(given, call),
  },
  {
    name: 'plan',
    description:
      'Says what a run would send, how long it takes, and what a run of this size can decide. ' +
      'Sends nothing.',
    input: runInput,
    output: planOutput,
    isReading: true,
    act: async (given: z.infer<typeof runInput>, call) => planRun(given, call),
  },
  {
    name: 'run',
    description:
      'Runs a scenario against a crew to its end and judges it, which takes as long as the plan ' +
      'says. Reports progress. To cancel it stops kickoffs, and follows what is in flight to its ' +
      'end. What may cost money stays within the budget that a person set.',
    input: runInput,
    output: runOutput,
    isReading: false,
    act: async (given: z.infer<typeof runInput>, call) => runWithin(given, call),
  },
  {
    name: 'verdict',
    description: 'Reads the verdict of a run or a study from its folder.',
    input: folderInput,
    output: measured,
    isReading: true,
    act: async (given: FolderInput, call) => verdictIn(await inside(given, call)),
  },
  {
    name: 'explain',
    description:
      'Says why a verdict is what it is. It lists reasons and findings by code, each with its ' +
      'remedy, and the broken rules of the interface.',
    input: folderInput,
    output: explained,
    isReading: true,
    act: async (given: FolderInput, call) => explanationIn(await inside(given, call)),
  },
]
