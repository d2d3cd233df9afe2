/**
 * What the doctor reports about one thing: a value, what it means, and what to do when it is not
 * good.
 */

export interface Diagnosis {
  name: string
  /** `absent` means that something optional is missing, which is not a problem. */
  state: 'ok' | 'warning' | 'problem' | 'absent'
  /** The value as text for people. */
  found: string
  meaning: string
  /** Null when there is nothing to do. */
  remedy: string | null
}
