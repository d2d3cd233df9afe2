/**
 * The fields of an execution's record, each with the name of its shape and its value before
 * anything has happened. Type, blank, check, journal line and JSON Schema derive from this table.
 */
import type { z } from 'zod'
import { emptyColumns } from './columns.ts'
import type * as shapes from './shapes.schema.ts'

type Shapes = typeof shapes

interface NeededField<Name extends keyof Shapes> {
  shape: Name
  blank: z.output<Shapes[Name]>
}

/** All records share the blank until it is replaced: nobody writes to it. */
function field<Name extends keyof Shapes>(
  shape: Name,
  blank: NeededField<Name>['blank'],
): NeededField<Name> {
  return { shape, blank }
}

/** Missing where there is nothing of it. */
function optional<Name extends keyof Shapes>(shape: Name): { shape: Name; isOptional: true } {
  return { shape, isOptional: true }
}

const NOTHING_ASKED = emptyColumns()

export const EXECUTION_FIELDS = {
  /** The index of the arrival in the whole schedule, over all instances. */
  index: field('integer', 0),
  instance: field('integer', 0),
  kickoffId: field('textOrNull', null),
  dialect: field('dialect', null),
  tags: field('tags', {}),
  /** An arrival of the warm-up: it runs but does not count in metrics. */
  warmUp: field('yesOrNo', false),
  outcome: field('outcome', 'notReached'),
  /** The reason, if the outcome alone does not say it. */
  reason: field('reasonOrNull', null),

  /** Points on the run's clock. */
  intendedMicros: field('micros', 0),
  /** First byte of the last kickoff attempt; null if never sent. */
  sentMicros: field('microsOrNull', null),
  /** Last byte of the kickoff's usable answer; null if never accepted. */
  acceptedMicros: field('microsOrNull', null),
  /** When the client knew the outcome. */
  endedMicros: field('micros', 0),
  /** The true end is in (lastNotDoneSent, firstDoneReceived]; null if no poll reported it. */
  lastNotDoneSentMicros: field('microsOrNull', null),
  firstDoneReceivedMicros: field('microsOrNull', null),

  kickoff: field('columns', NOTHING_ASKED),
  polls: field('columns', NOTHING_ASKED),
  /** People who were asked, in order of time; missing if no poll saw one. */
  people: optional('people'),
  /** The `POST /resume` that answered for them; missing for none. */
  resumes: optional('columns'),
  /** Polls whose answer saw no change. */
  wastedPolls: field('integer', 0),
  changes: field('changes', []),
  reported: field('reported', { executionTimeSeconds: null, tasks: [] }),
  /** Null without a result. */
  output: field('outputOrNull', null),
  checks: field('checks', {}),
  /** The first violation of each rule. */
  violations: field('violations', []),
  /** Resumed by `crewload resume`: polls before the cut are missing. */
  resumed: field('yesOrNo', false),
}
