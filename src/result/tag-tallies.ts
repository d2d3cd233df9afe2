/** The executions of the measured window by tag. */
import type { Group } from '../analysis/observations.ts'
import type { Micros } from '../units.ts'
import type { ExecutionRecord } from '../execution/record.ts'
import { tagsOf } from './claims.ts'
import { GroupTally } from './group-tally.ts'
import { BoundedByText } from './keep.ts'
import { Sketch } from './sketch.ts'

const TAGS_KEPT = 64
/** A tag's times are within 0.25 %. */
const SKETCH_BASE = 1.005

export class TagTallies {
  readonly #tags = new BoundedByText<GroupTally<Sketch>>(TAGS_KEPT)

  record(record: ExecutionRecord): void {
    for (const tag of tagsOf(record)) {
      this.#tags.at(tag, () => new GroupTally(sketch))?.record(record)
    }
  }

  /** By tag, sorted; where the ledger told the detection delay of each, that stands in place of the bound by polls. */
  groups(detectionByTag: ReadonlyMap<string, readonly Micros[]> | null): Map<string, Group> {
    const sorted = [...this.#tags.values].sort(([a], [b]) => (a < b ? -1 : 1))
    if (detectionByTag === null) return new Map(sorted)
    const told = sorted.map(([tag, group]): [string, Group] => {
      const detection = sketch()
      for (const delay of detectionByTag.get(tag) ?? []) detection.record(delay)
      return [tag, group.with(group.executions, detection)]
    })
    return new Map(told)
  }
}

function sketch(): Sketch {
  return new Sketch(SKETCH_BASE)
}
