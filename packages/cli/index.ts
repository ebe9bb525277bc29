/**
 * The `sandbank` command. `program.ts` declares the verbs; each verb is a folder with a function that does the work and
 * returns what it found, so that tests call it without a shell; `main.ts` is the process around it: arguments in, exit code out.
 */
export { type CliStreams, runCli } from './program.ts';
