/** Which executions belong to which test: that which the header of their kickoff names. */

/** Requests with this header belong to the test that it names. */
export const TEST_HEADER = 'x-crewload-test' as const

export class TestedExecutions {
  readonly #tests = new Map<number, string>()
  readonly #counts = new Map<string, number>()

  add(ordinal: number, test: string | null): void {
    if (test === null) return
    this.#tests.set(ordinal, test)
    this.#counts.set(test, this.count(test) + 1)
  }

  /** Null for an execution that belongs to none. */
  of(ordinal: number): string | null {
    return this.#tests.get(ordinal) ?? null
  }

  /** How many executions the test has; 0 for none. */
  count(test: string | null): number {
    return test === null ? 0 : (this.#counts.get(test) ?? 0)
  }

  forget(test: string): void {
    this.#counts.delete(test)
    for (const [ordinal, its] of this.#tests) if (its === test) this.#tests.delete(ordinal)
  }
}
