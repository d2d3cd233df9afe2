/** Every command, one line each, in the order in which `--help` lists those of a group. */
import type { MainCommand } from './command.ts'
import { capacity } from './commands/studies/capacity.ts'
import { check } from './commands/check.ts'
import { compare } from './commands/studies/compare.ts'
import { demo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { fake } from './commands/fake.ts'
import { gate } from './commands/studies/gate.ts'
import { history } from './commands/studies/history.ts'
import { init } from './commands/init.ts'
import { k6 } from './commands/k6.ts'
import { limits } from './commands/studies/limits.ts'
import { polling } from './commands/studies/polling.ts'
import { recovery } from './commands/studies/recovery.ts'
import { report } from './commands/report.ts'
import { resume } from './commands/resume.ts'
import { run } from './commands/run.ts'
import { saturate } from './commands/studies/saturate.ts'
import { schema } from './commands/schema.ts'
import { twin } from './commands/studies/twin.ts'

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
  report,
  schema,
  doctor,
]
