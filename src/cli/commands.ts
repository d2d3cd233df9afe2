/** Every command, one line each, in the order in which `--help` lists those of a group. */
import type { MainCommand } from './command.ts'
import { check } from './commands/check.ts'
import { demo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { fake } from './commands/fake.ts'
import { init } from './commands/init.ts'
import { k6 } from './commands/k6.ts'
import { lab } from './commands/lab.ts'
import { mcp } from './commands/mcp.ts'
import { report } from './commands/report.ts'
import { resume } from './commands/resume.ts'
import { run } from './commands/run.ts'
import { schema } from './commands/schema.ts'
import {
  capacity,
  compare,
  gate,
  history,
  limits,
  polling,
  recovery,
  saturate,
  twin,
} from './commands/studies.ts'

export const COMMANDS: readonly MainCommand[] = [
  demo,
  init,
  check,
  run,
  resume,
  k6,
  capacity,
  limits,
  saturate,
  recovery,
  polling,
  compare,
  gate,
  history,
  twin,
  fake,
  lab,
  report,
  mcp,
  schema,
  doctor,
]
