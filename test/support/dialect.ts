/**
 * Words that hide who does what. People who write long sentences grow fond of them; no text that a
 * user reads has any.
 */
export const DIALECT =
  /\b(?:told|tells|that of|those of|of which|held against|by turns|mend|befalls|wish)\b|(?<=[.:] )(?:Of an?|Where) /
