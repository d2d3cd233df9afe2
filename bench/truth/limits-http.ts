/**
 * Infers limits over real HTTP and prints a table row for each: `node bench/run.mjs limits-http`.
 */
import { inferOverSockets } from './limits/sockets.ts'

await inferOverSockets()
