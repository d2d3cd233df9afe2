/** Every name that a plain object has already: somebody's text may be one of them. */
export const OBJECT_NAMES: readonly string[] = Object.getOwnPropertyNames(Object.prototype)
