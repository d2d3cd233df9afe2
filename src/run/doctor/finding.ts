/**
 * What the doctor says of one thing: a value, what it means, and what to do when it is not well.
 */

export interface Diagnosis {
  name: string
  /** `absent` is no fault: something optional that is not there. */
  state: 'ok' | 'warning' | 'problem' | 'absent'
  /** As people read it. */
  found: string
  meaning: string
  /** Null when there is nothing to do. */
  remedy: string | null
}
