/** The scripts of a crew: those of its profile, and those that are added while it runs. */
import type { ScriptedKickoff, ExecutionScript, ScriptProfile } from './scripts.ts'
import { isFor, scriptAtSpeed, scriptOf } from './scripts.ts'
import type { WorkProfile } from './work/profile.ts'

/** A script that was added. */
export interface AddedScript {
  /** No other script of the crew has this name. */
  readonly name: string
  /** Only for kickoffs of this test; null: for all. */
  readonly test: string | null
}

interface ActiveScript extends AddedScript {
  /** In wall time. */
  readonly profile: ScriptProfile
}

export class ScriptSet {
  readonly #work: WorkProfile
  readonly #speed: number
  /** The first that fits applies: the latest first, those of the profile last. */
  #all: readonly ActiveScript[] = []

  /** `work` and `scripts` are in wall time; those that are added later are divided by `speed`. */
  constructor(work: WorkProfile, scripts: readonly ScriptProfile[], speed: number) {
    this.#work = work
    this.#speed = speed
    this.#all = this.#named(scripts, null)
  }

  get none(): boolean {
    return this.#all.length === 0
  }

  /** Within what is added at once, the first that fits applies; before all that were there. */
  add(scripts: readonly ScriptProfile[], test: string | null): AddedScript[] {
    const wall = structuredClone([...scripts])
    for (const script of wall) scriptAtSpeed(script, this.#speed)
    const added = this.#named(wall, test)
    this.#all = [...added, ...this.#all]
    return added
  }

  /**
   * Ends one, by its name or as `add` returned it, or all; of this test alone, if one is given.
   * Returns how many.
   */
  clear(which?: string | AddedScript, test: string | null = null): number {
    const stay = this.#all.filter(
      (each) =>
        (test !== null && each.test !== test) ||
        (which !== undefined && each !== which && each.name !== which),
    )
    const count = this.#all.length - stay.length
    this.#all = stay
    return count
  }

  /** In the order in which they are tried; of this test alone, if one is given. */
  list(test: string | null = null): AddedScript[] {
    return this.#all.filter((each) => test === null || test === each.test)
  }

  /**
   * The first script that is for this kickoff; null if none is. `ordinalInTest` counts the
   * executions of its test.
   */
  for(
    kickoff: ScriptedKickoff,
    test: string | null,
    ordinalInTest: number,
  ): ExecutionScript | null {
    const found = this.#all.find((each) => {
      if (each.test === null) return isFor(each.profile, kickoff)
      return each.test === test && isFor(each.profile, { ...kickoff, ordinal: ordinalInTest })
    })
    return found === undefined ? null : scriptOf(found.profile, this.#work)
  }

  #named(scripts: readonly ScriptProfile[], test: string | null): ActiveScript[] {
    const taken = new Set(this.#all.map(({ name }) => name))
    return scripts.map((profile) => {
      const { name: wanted = 'script' } = profile
      let name = wanted
      for (let number = 2; taken.has(name); number++) name = `${wanted} ${number}`
      taken.add(name)
      return { name, test, profile }
    })
  }
}
