/** A dialect of the interface: how the crew words its answers. */
import type { Content } from '../exchange.ts'
import type { Profile } from '../profile.ts'
import type { Refusal } from '../refusal.ts'
import type { ExecutionView } from '../workshop.ts'

export interface StatusContext {
  profile: Profile
  nowMicros: number
  /** Wall clock at the model's zero, Unix milliseconds. */
  anchorUnixMs: number
}

export interface Voice {
  status(execution: ExecutionView, context: StatusContext): Content
  refusal(refusal: Refusal): Content
}
