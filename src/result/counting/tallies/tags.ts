/** The executions of the measured window, grouped by tag. */
import type { Group } from '../../observations.ts'
import type { DetectedEnd } from '../../ledger/reconcile.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import { tagsOf } from './claims.ts'
import { GroupTally } from './group.ts'
import { BoundedByText } from './bounded-stores.ts'
import { Sketch } from '../histograms/sketch.ts'
import { ThroughputTally } from './throughput.ts'
import type { Span } from './throughput.ts'

const TAGS_KEPT = 64
/** Times of a tag are within 0.25 %. */
const SKETCH_BASE = 1.005

interface Tagged {
  group: GroupTally<Sketch>
  throughput: ThroughputTally
}

export class TagTallies {
  readonly #tags = new BoundedByText<Tagged>(TAGS_KEPT)

  record(record: ExecutionRecord): void {
    for (const tag of tagsOf(record)) {
      const tagged = this.#tags.at(tag, () => ({
        group: new GroupTally(sketch),
        throughput: new ThroughputTally(),
      }))
      tagged?.throughput.record(record)
      if (!record.warmUp) tagged?.group.record(record)
    }
  }

  /**
   * The groups by tag, sorted; where a ledger gives the detection delay of each execution, it
   * replaces the bound by polls.
   */
  groups(detected: readonly DetectedEnd[] | null, span: Span | null): Map<string, Group> {
    const sorted = [...this.#tags.values]
      .filter(([, { group }]) => group.arrivals > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    const delays = detected === null ? null : byTag(detected)
    const told = sorted.map(([tag, { group, throughput }]): [string, Group] => {
      const detection =
        delays === null
          ? group.detection
          : { ...group.detection, ended: delays.get(tag) ?? sketch() }
      return [tag, group.with({ detection, throughput: throughput.within(span) })]
    })
    return new Map(told)
  }
}

function byTag(detected: readonly DetectedEnd[]): Map<string, Sketch> {
  const samples = new Map<string, Sketch>()
  for (const { tags, micros } of detected) {
    for (const tag of tags) {
      const sample = samples.get(tag) ?? sketch()
      samples.set(tag, sample)
      sample.record(micros)
    }
  }
  return samples
}

function sketch(): Sketch {
  return new Sketch(SKETCH_BASE)
}
