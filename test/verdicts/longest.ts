/**
 * Scenarios whose sections take longest to compute: they have a test file of their own, so that
 * both run at once.
 */
export const LONGEST: readonly string[] = ['chaos', 'ramp', 'rate-limit']
